"""Colloquial turns of phrase in their plain form, before anything else reads them: "what have we got on the desk" → "what is on the desk".

Each rule replaces one construction, whatever nouns it holds. Texts are normalised: lower case, commas as the only punctuation.
"""

from __future__ import annotations

import re

from sayso.intent.gazetteer import CONTRASTS

_ON = r"(?=(?:on|in|at|under|behind|inside|next|over|by|near)\b)"
_LYING = r"(?: (?:lying|sitting|standing|left|out|around))*"
_SIDE = r"(?:left|right)"
_GONE = r"(?:hiding|hiding out|lurking|hanging out|gone off to|got to|gone to|off to)"
_BETTER = r"(?:much |even |probably |far )?(?:better|best|nicer|preferable|fine|easier|safer|a better \w+|the better \w+)"
_IS = r"(?: is|'s| would be|'d be| might be| may be| seems| sounds)"
_MARK = (
    r"(?:actually|no|wait|hmm|oh|ah|or|but|well|maybe|you know what|come to think of it|on second thoughts?|hang on|hold on|"
    r"thinking about it|i think|i guess|perhaps)"
)
_NP = r"(?P<thing>(?:the|my|a|an|his|her|our|your) (?:[\w']+ ){0,3}?[\w']+)"
_LACKING = r"(?:haven't|hasn't|don't have|haven't got|aren't|isn't|have run out of|'ve run out of|'re out of|are out of|have no)"
_ANY = r"(?:(?: got)?(?: any| one| it| none| them| those| that)+(?: left| any more| here)?)"
_MEANING = r"(?:so|that's|that is|which is|meaning|so that's|so it's)"
_GO = r"(?:go|drive|head|run|walk|pop|nip|roll|move)(?: on| over| down| up| round| across)?"
_ALONG = r"(?:along with you|along|with you)"
_WHERE = r"(?P<where>[\w']+(?: [\w']+){0,3}?)"
_WHAT = r"(?P<what>(?!back\b)[\w']+(?: (?!back\b)[\w']+){0,5}?)"
_CLOCK = r"(?:noon|midday|midnight|\d+(?::\d\d| o'clock)|(?:half|quarter|\d+) (?:past|to))"
_THEN = r"(?:and|then|and then)"
_STATE = r"(?:still |really |all )?(?:open|closed|shut|on|off|locked|running)"
_COLOURS = f"(?:{'|'.join(sorted(CONTRASTS))})"
_SERVE = r"(?:provide|serve|distribute|arrange|deliver|give|offer|hand out|pass out)"
_GUESTS = r"(?:everyone|everybody|all (?:the|of the|my|our) \w+|(?:the|my|our) (?:guests|people|children|kids))\b"
_ASKING = r"^(?:(?:can|could|would) you )?(?:please )?(?:tell me|do you know)"
_HOUSE = r"(?:in|at|around|inside|within) (?:(?:the|this|our|my|your) )?(?:whole |entire )?(?:house|home|flat|apartment)"
_RULES = (
    # Questions.
    (rf"\b(?P<be>is|are) {_NP} (?:really |still )?{_COLOURS}(?: or (?:{_COLOURS}|not))?$", r"what color \g<be> \g<thing>"),
    (r"\b(?:give|get) me (?:a|some|the) (?:\w+ )?(?:description|idea|overview) of (?=\w)(?!what\b)", "describe "),
    (r"^(?:in|of) (?:what|which) colou?r (?P<be>is|are) ", r"what color \g<be> "),
    (
        r"^(?P<start>(?:.* (?:if|whether) .* )?(?:is|are) (?:.* )?)(?:switched|turned|powered|plugged) (?P<state>on|off)$",
        r"\g<start>\g<state>",
    ),
    (r"^(?P<start>(?:.* (?:if|whether) .* )?(?:is|are) .*)\bopened$", r"\g<start>open"),
    (
        rf"^(?:please |(?:can|could|would) you )*(?:check|see|find out|look) (?:if|whether) {_NP} (?P<be>is|are) (?P<state>{_STATE})$",
        r"tell me whether \g<thing> \g<be> \g<state>",
    ),
    (rf"^(?:on|in|at|under) (?:which|what) \w+ (?P<be>is|are) {_NP}$", r"where \g<be> \g<thing>"),
    (rf"{_ASKING} the (?:size|height|length|width|dimensions) of ", "how big is "),
    (rf"{_ASKING} the colou?r of ", "what color is "),
    (r"\bwhat colou?r's ", "what color is "),
    (r"^(?P<lead>(?:can|could|would) you |please )?tell (?:me|us) (?:more )?about (?=(?:the|this|that) )", r"\g<lead>describe "),
    (r"\bwhat(?:'s| is) (?P<thing>(?:the|my|our) (?:[\w']+ )?\w+)'s colou?r$", r"what color is \g<thing>"),
    (r"\bwhat(?:'s| is| are) the (?:size|height|length|width|dimensions|measurements) of ", "how big is "),
    (r"\bhow (?:many (?:centimeters|inches|meters)|huge|tiny|massive) (?P<be>is|are) ", r"how big \g<be> "),
    (rf"^(?P<be>is|are) {_NP} (?:really |very |quite |rather )?(?:big|large|small|tall|tiny|huge)$", r"how big \g<be> \g<thing>"),
    (r"\b(?:did we run|have we run|are we) out of (?:the )?", "is there any "),
    (r"^(?P<start>.*\b)where(?:'s| is| are) (?:everybody|everyone|all the people)$", r"\g<start>who is at home"),
    (r"^(?:(?:can|could) you )?(?:please )?give me the (?:number|count) of ", "tell me the number of "),
    (r"\b(?P<count>how many [\w']+(?: [\w']+)?)(?: (?:are|is) there)? (?:in total|altogether|all together)$", r"\g<count> are there"),
    (r"\b(?P<count>how many [\w']+(?: [\w']+)?) (?:we|you)(?:'ve| have)(?: got)?$", r"\g<count> are there"),
    (r"\bhow many (?P<who>people|persons|guests) (?:live|stay|are staying|are living) here$", r"how many \g<who> are there"),
    (r"\b(?:do we(?: still| actually)? have|have we(?: still)? got) (?:(?:any|some|an?) )?(?:more )?(?!to\b)(?=\w)", "is there any "),
    (r"^(?:do you know|can you tell me|could you tell me|tell me|i wonder|any idea) (?:if|whether) there(?:'s| is| are) ", "is there "),
    (r"\btell me (?:something|anything|a bit|a little|more|all|everything)(?: you know)? about ", "tell me about "),
    (r"\b(?P<count>how many [\w']+(?: [\w']+)?) (?:do )?you know(?: of| about)?$", r"\g<count> are there"),
    (rf"^(?P<start>.*\bhow many [\w']+(?: [\w']+)?) (?:are|is)(?: there)? {_HOUSE}$", r"\g<start> are there"),
    (rf"^(?P<start>.*\bwho(?:'s| is)) (?:{_HOUSE}|here)$", r"\g<start> at home"),
    (rf"\bwhat(?:'ve)? (?:have )?(?:we|you|i|they)(?:'ve)? (?:got|have)(?: all)?(?: still)?{_LYING} {_ON}", "what is "),
    (rf"\bwhat do (?:we|you|i) (?:still )?have{_LYING} {_ON}", "what is "),
    (rf"\bwhat(?: all| else)?(?: is| are|'s)(?: there)?(?: (?:lying|sitting|standing))(?: around)? {_ON}", "what is "),
    (r"\bwho all (?=is|are)", "who "),
    (r"\bwho(?:'s| has) got (?=the|my|a|an|his|her|our|your|any|some)", "who has "),
    (rf"(?P<start>\bwhere(?:'s| is| are| has| have)\b[^,]*?) {_GONE}$", r"\g<start>"),
    (
        r"\bcount (?:up )?(?:the |all the |all )?(?P<what>(?:[\w']+ ){1,4}?)(?P<where>(?:at|on|in) (?:the|my|our) [\w' ]+?),? and "
        r"(?:report|tell|inform|say)(?: (?:it|them|that|how many|the number|the result))?(?: back)?(?: to)? (?:me|us)(?P<end> please)?$",
        r"tell me how many \g<what>are \g<where>\g<end>",
    ),
    # Rules.
    (r"(?P<start>\b\w+(?: is| are|'s)) (?:a |an |strictly )*(?:absolute )?no go(?: area| zone| place)?\b", r"\g<start> off limits"),
    # What stays where it is is not picked up.
    (
        r"(?P<join>\b(?:and|but)(?: then| please| just)?) leave (?P<it>it|them) (?:where|as|how) (?:it|they)(?:'s|'re| is| are)$",
        r"\g<join> don't pick \g<it> up",
    ),
    (rf"^(?:please |just )?leave {_NP} (?:where|as|how) (?:it|they)(?:'s|'re| is| are)$", r"don't pick up \g<thing>"),
    # Conditions and times.
    (r"\b(?P<start>if|when|should) (?P<who>you|i|we|they) (?:happen|chance) to ", r"\g<start> \g<who> "),
    (r"\b(?P<start>if (?:[\w']+ ){1,3}?)happens to be ", r"\g<start>is "),
    (r"\bif by (?:any )?chance ", "if "),
    (rf"\b(?:when|once|as soon as) (?:it's|it is|it gets to|the clock (?:says|shows|strikes)) (?={_CLOCK}\b)", "at "),
    (rf"^(?P<start>anything|anyone|anybody|something|somebody|someone) {_ON}(?P<rest>(?!.*,).*)$", r"is there \g<start> \g<rest>"),
    # Two acts that share their verb: "turn the lamp off and on again".
    (
        rf"\b(?P<verb>turn|switch) {_NP} (?P<one>on|off),? {_THEN} (?P<two>on|off)(?: again)?\b",
        r"\g<verb> \g<thing> \g<one> and then \g<verb> it \g<two>",
    ),
    (
        rf"\b(?P<verb>turn|switch) (?P<one>on|off),? {_THEN} (?P<two>on|off)(?: again)? {_NP}",
        r"\g<verb> \g<one> \g<thing> and then \g<verb> it \g<two>",
    ),
    # Things taken along.
    (rf"\b{_GO} to {_WHERE},? and (?:bring|take|carry|have) {_WHAT} (?:along with you|along|with you)$", r"bring \g<what> to \g<where>"),
    (rf"\b(?:bring|take|carry) {_WHAT} {_ALONG},? (?:when|as|and) (?:you )?{_GO} to {_WHERE}$", r"bring \g<what> to \g<where>"),
    # Acts with people. Whoever is answered must be asked what they want to know.
    (r"\banswer (?:a|the|any|one|some) questions? (?:to|of|from|for|by) (?=\w)", "tell a question to "),
    (r"\bpinpoint (?=\w)", "find "),
    (
        r"\b(?P<start>(?:follow|accompany|(?:go|come) (?:after|behind)) (?:her|him|them),? and )"
        r"(?:take|bring) (?P<who>her|him|them) back\b",
        r"\g<start>guide \g<who> back",
    ),
    (r"\b(?:get acquainted with|get to know|make the acquaintance of) (?=\w)", "meet "),
    (rf"\b{_SERVE} (?:some |a )?(?:drink|beverage)s? to (?={_GUESTS})", "give something to drink to "),
    (rf"\b{_SERVE} (?:some |a )?snacks? to (?={_GUESTS})", "give something to eat to "),
    (rf"\b{_SERVE} (?P<what>(?:[\w']+ ){{1,4}}?)to (?={_GUESTS})", r"give \g<what>to "),
    (r"\ball (?:(?:of )?(?:the|my|our) )?guests (?=(?:in|at) (?:the|my|our)\b)", "everyone "),  # the robot sees who is there
    # Corrections.
    (rf"(?:,? ?\b{_MARK})+,? {_NP}{_IS} {_BETTER}$", r", no, \g<thing>"),
    (rf"\bno,? (?:we|i|you|there|they) ?{_LACKING}{_ANY},? (?=(?:the|a|an|my|some)\b)", "no, "),
    (rf"\b(?:my|his|her|our) {_SIDE},? {_MEANING} your (?P<way>{_SIDE})\b", r"\g<way>"),
    (rf"\b(?:to|on) your (?:own )?(?P<way>{_SIDE})$", r"to the \g<way>"),
)
_PATTERNS = tuple((re.compile(pattern), meant) for pattern, meant in _RULES)
_COMMAS = re.compile(r"(?:\s*,)+\s*")


def in_plain_words(text: str) -> str:
    """The normalised text with colloquial constructions in their plain form."""
    for pattern, meant in _PATTERNS:
        text = pattern.sub(meant, text)
    return _COMMAS.sub(", ", text).strip(" ,")
