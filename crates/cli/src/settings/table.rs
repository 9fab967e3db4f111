//! The table of a section: what a row contains, and what it generates.
//!
//! Each section of `war_rig.toml` is one [`section!`], and each setting one row of it. A row generates the field of the options, the default, the
//! environment variable, the command-line option, the typed field of the settings with its validation, the reference entry, and the entry in the file
//! that `init` writes.

/// A section of the settings. A row has this form:
///
/// ```text
/// /// What the setting does, in the lines of the file that `init` writes.
/// name: RawType = default => field: Type = check(arguments), flag("--name VALUE", "What it does", method(arguments));
/// ```
///
/// `check` is a method of [`Setting`](super::validate::Setting) that converts the value to the typed field; `method` is one of [`Arg`](clap::Arg). A row
/// without a typed field belongs to one of the `derived` fields, each of which a method of `Setting` makes from the section's options. `tables` lists the
/// sections below this one.
macro_rules! section {
    (
        $(#[$about:meta])*
        $options:ident => $settings:ident at $section:literal {
            $(
                $(#[doc = $words:literal])+
                $key:ident: $raw:ty = $default:expr
                $(=> $field:ident: $typed:ty = $check:ident $(($($argument:expr),+))?)?
                $(, flag($usage:literal, $help:literal $(, $method:ident($($value:expr),+))*))?
            );+ $(;)?
        }
        $(derived { $($(#[$derived_about:meta])* $derived:ident: $derived_type:ty = $derive:ident),+ $(,)? })?
        $(tables { $($(#[$table_about:meta])* $table:ident: $table_options:ty),+ $(,)? })?
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $options {
            $(
                $(#[doc = $words])+
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $key: Option<$raw>,
            )+
            $($($(#[$table_about])* pub $table: $table_options,)+)?
        }

        impl $options {
            /// The keys of the section, in order, without those of nested tables.
            pub(super) const KEYS: &[$crate::settings::key::Key] = &[$(
                $crate::settings::key::Key {
                    path: concat!($section, ".", stringify!($key)),
                    default: || serde_json::json!(<$raw>::from($default)),
                    words: &[$($words),+],
                    flags: &[$($crate::settings::key::Flag {
                        usage: $usage,
                        help: $help,
                        describe: |arg| arg$(.$method($($value),+))*,
                    })?],
                },
            )+];
        }

        $(#[$about])*
        #[derive(Debug, Clone)]
        pub struct $settings {
            $($(
                #[doc = concat!("What `", $section, ".", stringify!($key), "` says.")]
                pub $field: $typed,
            )?)+
            $($($(#[$derived_about])* pub $derived: $derived_type,)+)?
        }

        impl $settings {
            /// Validates the options of the section.
            ///
            /// # Errors
            /// A usage failure for an invalid value, with the place that set it.
            pub(super) fn validated(
                section: &$crate::settings::validate::Setting<'_>,
                options: &$options,
            ) -> Result<Self, $crate::failure::Failure> {
                Ok(Self {
                    $($(
                        $field: section.below(stringify!($key)).$check(
                            options.$key.as_ref().expect("every key has a default"),
                            $($($argument),+)?
                        )?,
                    )?)+
                    $($($derived: section.$derive(options)?,)+)?
                })
            }
        }
    };
}
pub(super) use section;
