//! The address of a model: its host, and in whose network that is.

use std::net::IpAddr;

/// Whether an address is the one that OpenAI's keys are made for.
pub fn is_public(base_url: &str) -> bool {
    base_url.starts_with("https://") && host_of(base_url) == "api.openai.com"
}

/// Whether an address is on this machine.
pub fn is_local(base_url: &str) -> bool {
    let host = host_of(base_url);
    let ip = host.strip_prefix('[').and_then(|ip| ip.strip_suffix(']')).unwrap_or(&host);
    host == "localhost" || ip.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether an address is on this machine or in a private network, where users serve their own models.
pub fn is_own(base_url: &str) -> bool {
    let host = host_of(base_url);
    let ip = host.strip_prefix('[').and_then(|ip| ip.strip_suffix(']')).unwrap_or(&host);
    let is_private = match ip.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => ip.is_private() || ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => ip.is_unique_local() || ip.is_unicast_link_local(),
        Err(_) => host.ends_with(".local") || host.ends_with(".internal"),
    };
    is_private || is_local(base_url)
}

/// Returns the host of an address, in lowercase and without a port.
pub fn host_of(base_url: &str) -> String {
    let rest = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    // An IPv6 address is in brackets and contains colons.
    let brackets = rest.find(']').filter(|_| rest.starts_with('[')).unwrap_or_default();
    let end = rest[brackets..].find(['/', '?', '#', ':']).map_or(rest.len(), |at| brackets + at);
    rest[..end].to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_are_known() {
        for local in [
            "http://localhost:11434/v1",
            "http://LOCALHOST",
            "https://127.0.0.2/v1",
            "http://[::1]:8080/v1",
            "http://[::1]",
        ] {
            assert!(is_local(local), "{local}");
        }
        for other in [
            "http://localhost.example.com/v1",
            "http://example.com/localhost",
            "http://127.0.0.1.example.com",
            "http://[::2]:8080",
            "http://[::1",
            "http://10.0.0.1/v1",
            "http://",
        ] {
            assert!(!is_local(other), "{other}");
        }
    }
}
