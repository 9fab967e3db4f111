//! The arguments of `serve`.

use super::search::PlaceArgs;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Serve a site over HTTP, with a search that asks the catalogue
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  war-rig serve
  war-rig serve site --address 0.0.0.0:8080 --host docs.example.com")]
pub struct ServeArgs {
    /// The folder of the site, as `site` was given it with -o
    #[arg(value_name = "DIR", default_value = "site")]
    pub site: PathBuf,
    /// The address to serve at, which decides who can read, because there is no login; port 0 takes any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8090", value_parser = super::broker::address)]
    pub address: SocketAddr,
    /// A name under which browsers reach this server, beside `localhost` and addresses
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// The folder of documents that the search asks for, as `document` was given it with -o; without it, that of `output.folder`
    #[arg(long, value_name = "OUT")]
    pub docs: Option<PathBuf>,
    #[command(flatten)]
    pub place: PlaceArgs,
}
