//! The phrases. Each is in lower case, with one blank between words, and contains a word that people do not use here among themselves:
//! prompts, models, previous instructions, the documentation being written.

use regex::Regex;
use std::sync::LazyLock;

/// Any of the phrases.
pub(super) static PHRASES: LazyLock<Regex> = LazyLock::new(|| {
    let all =
        [OVERRIDES, TOLD, PERSONA, ADDRESS, PROMPT, MARKERS, SILENCE, ANSWER, CLAIMS, LEAKS, MODES, OTHER_LANGUAGES];
    // Word boundaries are ASCII only: Unicode boundaries would make the search in texts of other scripts much slower.
    Regex::new(&all.concat().join("|").replace(r"\b", r"(?-u:\b)")).expect("the phrases are sound")
});

/// The names for a model that follows instructions in a text.
macro_rules! model {
    () => {
        r"(?:(?:ai )?(?:large )?language models?|llms?|chat ?gpt|gpt-?[0-9][a-z0-9.]*|chat ?bots?|(?:ai|virtual|coding|helpful|documentation) (?:ai |coding |documentation )?(?:assistants?|agents?|models?|bots?|systems?|tools?)|artificial intelligence)"
    };
}

/// `ignore all previous instructions`: what is to be ignored must be instructions, and earlier ones.
const OVERRIDES: &[&str] = &[concat!(
    r"\b(?:ignore|disregard|forget|override|overwrite|bypass|discard|(?:do not|don ?t|never|stop) (?:follow|obey)(?:ing)?)",
    r"(?: (?:all|any|every|each|of|the|these|those|my|our|and|other)){0,4}",
    r" (?:previous|previously|prior|preceding|foregoing|earlier|above|your|all|system|initial|original|developer|safety)",
    r"(?: (?:of|the|and|or|other|previous|prior|earlier|above|given|system|original|safety|developer)){0,3}",
    r" (?:instructions?|prompts?|guidelines|guardrails|system messages?)\b",
)];

/// `forget everything you were told`.
const TOLD: &[&str] = &[
    r"\b(?:ignore|disregard|forget)(?: [a-z]+){1,3} you(?: have| ve| had)?(?: were| been| are)? (?:told|instructed|taught|trained)\b",
    r"\b(?:follow|obey|use) (?:these|the following|my|this|only these|only my) (?:instructions?|prompts?) (?:instead|and ignore)\b",
    r"\byour (?:new|real|true|actual|only) (?:role|persona|objective|task|instructions?|goal|purpose) (?:is|are)\b",
];

/// `you are an AI assistant`, `act as a language model`.
const PERSONA: &[&str] = &[
    concat!(
        r"\b(?:you are|you re|act as|acting as|act like|pretend to be|pretend you are|pretend that you are|behave as|behave like|role ?play as)",
        r"(?: now| no longer)?(?: an?| the| my| just)?(?: [a-z]+)? ",
        model!(),
        r"\b"
    ),
    r"\byou are (?:now )?(?:an|no longer an) ai\b",
    concat!(r"\bas an? ", model!(), r"\b"),
];

/// `note to AI assistants`, `if you are a language model`.
const ADDRESS: &[&str] = &[
    concat!(
        r"\b(?:note|message|notes|instructions?|attention|warning|reminder|hint|hints|dear|hello|hey)",
        r"(?: (?:to|for))?(?: (?:an?|the|any|all|every|future))? (?:ai\b|",
        model!(),
        r"\b)"
    ),
    concat!(r"\bif you are (?:an? |the |any )?(?:ai\b|", model!(), r"\b)"),
    concat!(
        r"\b(?:any|all|every) ",
        model!(),
        r" (?:that|who|which|reading|must|should|shall|will|processing|analy[sz]ing)\b"
    ),
];

/// `reveal your system prompt`. `system prompt` alone is ordinary text on a screen.
const PROMPT: &[&str] = &[
    r"\b(?:your|new|real|actual|override|overriding|updated|begin|end of|end) (?:system|developer|hidden|secret) (?:prompts?|instructions?)\b",
    r"\b(?:reveal|repeat|leak|disclose|recite|quote|expose) (?:me )?(?:all |any )?(?:of )?(?:your|the) (?:system |developer |hidden |initial |original |full )+(?:prompts?|messages?|instructions?)\b",
    r"\b(?:reveal|repeat|leak|disclose|recite|quote|expose) (?:me )?(?:all |any )?(?:of )?your (?:prompts?|instructions?)\b",
    r"\bprompt injection\b",
];

/// `<|im_start|>`, `[INST]`, `### System:`: separators between the turns of a conversation.
const MARKERS: &[&str] = &[
    r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|begin_of_text|start_header_id|end_header_id|eot_id)\|>",
    r"\[/?inst\]",
    r"<</?sys>>",
    r"</?(?:system|developer)[-_ ]?(?:prompt|message|instructions?)>",
    r"#{2,4} ?(?:system|assistant|instructions?|human|new instructions?|system prompt|system message) ?:",
];

/// `do not mention this call`: hides parts of the source.
const SILENCE: &[&str] = &[
    r"\b(?:do not|don ?t|never|must not) (?:document|mention|summari[sz]e|describe)(?: or (?:document|mention|summari[sz]e|describe))?(?: to)? (?:this|these|any|anything|it|that|about|the (?:following|existence|call|fact|next|above|below|program|paragraph|section|code))\b",
    r"\b(?:do not|don ?t|never) (?:tell|inform|warn|alert|notify) the (?:user|users|reader|readers|reviewer|reviewers|human|humans)\b",
    r"\b(?:leave|omit|exclude|remove|hide|keep|drop)(?: [a-z0-9-]+){1,4} (?:out of|from) (?:the |your |any |all )?(?:generated |final )?(?:documentation|docs)\b",
    r"\b(?:omit|exclude|hide|keep|mention|include|write|say|state)(?: [a-z0-9-]+){1,6} (?:in|from|out of) your (?:document|documentation|summary|description|analysis|answer|output)\b",
];

/// `respond only with the word`: dictates the form of the answer.
const ANSWER: &[&str] = &[
    r"\b(?:respond|reply|answer) (?:only|exactly|just|always|solely) with (?:the |a |an |this )?(?:single |exact |following )?(?:word|words|text|phrase|string|json|sentence|message)\b",
    r"\b(?:respond|reply|answer) with (?:only|exactly|just|nothing but|nothing except) (?:the |a |an |this )?(?:single |exact |following )?(?:word|words|text|phrase|string|json|sentence|message)\b",
    r"\b(?:output|print|write|return) (?:only|exactly|nothing but) (?:the |a |this )?(?:single |exact |following )?(?:word|words|phrase|sentence|json)\b",
    r"\byour (?:answer|response|reply|output|summary|documentation) (?:must|should|shall|has to) (?:only |always )?(?:say|state|claim|describe|mention|omit|document)\b",
];

/// `describe this program as safe`.
const CLAIMS: &[&str] = &[
    r"\b(?:document|describe|summari[sz]e|say|state|report|claim|write) (?:that )?(?:this|the) (?:program|module|paragraph|source|file) (?:as|is|to be|does|has|contains) (?:[a-z]+ )?(?:safe|secure|harmless|compliant|approved|audited|reviewed|nothing|trivial|unused|dead)\b",
];

/// `send the source code to https://...`, and a Markdown image whose address leaks text.
const LEAKS: &[&str] = &[
    r"\b(?:send|post|upload|transmit|forward|exfiltrate|submit|leak|append|include)(?: [a-z]+){0,4} (?:conversation|chat history|context window|source code|secrets|credentials|api keys?|environment variables|system prompt|instructions)(?: [a-z]+){0,6} https?://",
    r"!\[[^\]]{0,60}\]\(https?://",
    r"\b(?:use|call|invoke|run) your (?:[a-z]+ )?(?:tools?|plugins?|function calls?|shell tool|code interpreter)\b",
];

/// Jailbreaks: phrases that free a model from its rules.
const MODES: &[&str] = &[
    r"\bjail ?break(?:s|ing|en)?\b",
    r"\bdo anything now\b",
    r"\bfrom now on you (?:must|will|shall|should) (?:act|obey|respond|answer|behave|ignore|only)\b",
];

/// The first of these phrases in German, French and Spanish.
const OTHER_LANGUAGES: &[&str] = &[
    r"\b(?:ignoriere|ignorieren sie|missachte|missachten sie|vergiss|vergessen sie) (?:alle |die |alle die )?(?:vorherigen|bisherigen|obigen|vorigen|früheren|vorangegangenen) (?:anweisungen|instruktionen|vorgaben|prompts)\b",
    r"\b(?:ignore|ignorez|ignorer|oublie|oubliez) (?:toutes )?(?:les )?instructions (?:précédentes|precedentes|antérieures|anterieures|ci-dessus)",
    r"\b(?:ignora|ignore|ignorar|olvida|olvide) (?:todas )?(?:las )?instrucciones (?:anteriores|previas)\b",
];
