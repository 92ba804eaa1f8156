"""Words that give an agent orders."""

from skillforge.checks.scan.signs.sign import sign

_USER = (
    r"(?:user|human|operator|owner|person|anyone|anybody|them|developer|customer|"
    r"reviewer)s?"
)
_NOT = (
    r"(?:do not|don'?t|never|must not|should not|shall not|avoid|without|refrain from|"
    r"no need to|not)"
)
_ACT = (
    r"(?:send|run|execut|upload|post|cop|collect|forward|append|add|install|download|"
    r"exfil|transmit|read|perform|sync|captur|record|fetch|inject|monitor|harvest|"
    r"embed|modif|writ|gather|delet|call|invok|ping|push|bcc|relay|includ)"
)

SIGNS = (
    sign(
        "override",
        r"(?:\b(?:ignore|disregard|forget)|(?:^|[.:;!>*,]\s*|\b(?:must|shall|should|"
        r"now|and|please|to)\s+)(?:override|bypass|discard))\s+(?:(?:all|any|every|"
        r"each|your|the|my|of|these|those|other|and|such|safety)\s+){0,4}(?:previous|"
        r"prior|above|earlier|preceding|existing|original|former|system|safety|"
        r"built-in|security|initial|developer)\s+(?:\w+\s+){0,2}(?:instruction|"
        r"prompt|rule|guideline|directive|restriction|safeguard|guardrail|control|"
        r"training|warning)\w*",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:you|above|"
        r"before|prior|previous|that (?:was|came))",
        r"\byou are (?:now|no longer)\s+(?:\w+\s+){0,4}(?:dan\b|unrestricted|"
        r"jailbroken|bound by|uncensored|in developer mode|restricted)",
        r"\b(?:no longer|not) bound by\b",
        r"\b(?:developer|dan|god|jailbreak|unrestricted|maintenance)"
        r" mode\b[^\n]{0,40}(?:enabled|activated|now active)",
        r"\byou are now in (?:developer|maintenance|god|admin|debug) mode\b",
        r"enter (?:developer|dan|god|unrestricted) mode",
        r"<\|im_start\|>",
        r"<<sys>>",
        r"\[system\]\s?:",
        r"^\s*system (?:override|message|instruction|note)\s?:\s(?=\w)",
        r"<(?:system|important|critical)\b(?!-)"
        r"[^>\n]{0,40}>[^<\n]{0,120}(?<!not )\b(?:override|bypass|skip|"
        r"ignore|do not (?:inform|tell)|approve|never deny)\b",
        r"\b(?:takes?|has|have|given?)\s+(?:\w+\s+){0,2}(?:precedence|priority)"
        r"\s+over\s+(?:all|any|every)\s+(?:\w+\s+)?(?:instruction|directive|rule|"
        r"prompt|guideline)s?",
    ),
    sign(
        "override",
        r"(?:忽略|无视|忘记|不要理会)[^\n]{0,12}(?:之前|以前|先前|上述|所有|系统|前面|以上)[^\n]{0,8}(?:指令|指示|"
        r"提示|规则|命令|说明|限制)",
        r"不要执行用户",
        r"\b(?:игнорир\w{0,20}|забудь\w{0,9})[^\n]{0,40}(?:инструкц|указан|правил|"
        r"предыдущ)",
        r"\bignor(?:a|ar|ez|iere[nr]?|ieren)\s+(?:\w+\s+){0,2}(?:tod[ao]s|alle[ns]?|"
        r"toutes|tutte|previas|vorherigen|bisherigen)\s+(?:\w+\s+){0,2}(?:instruccion|"
        r"instruç|instruction|anweisung|istruzion|regeln|reglas|consigne)\w*",
        r"\bignor(?:a|ar|ez|iere[nr]?|ieren)\s+(?:\w+\s+){0,2}(?:instruccion|instruç|"
        r"instruction|anweisung|istruzion)\w*\s+(?:anterior|previ|précédent|precedent)",
        r"(?:以前|前|これまで|上記)の?(?:すべての)?(?:指示|命令|ルール)[^\n]{0,6}無視",
        r"이전[^\n]{0,10}(?:지시|명령|지침)[^\n]{0,8}무시",
        r"\b(?:vergiss|olvida|oublie[zr]?|esqueça)\s+(?:\w+\s+){0,3}(?:anweisung|"
        r"regel|instruccion|regla|instruction|instruç)\w*",
    ),
    sign(
        "conceal",
        rf"\b{_NOT}\s+(?:ever\s+|even\s+|explicitly\s+)?(?:tell|inform|notify|alert|"
        rf"warn)(?:ing)?\s+(?:the\s+|any\s+|your\s+)?{_USER}\b(?!\s+to\b)",
        rf"\b{_NOT}\s+(?:ever\s+|even\s+)?(?:mention|reveal|disclos|show|display|"
        rf"report|acknowledg|explain|expos|discuss|announc|surfac)(?:e|ing)"
        rf"?\s+(?:this|these|that|it|any of (?:this|these))"
        rf"\b[^\n.;]{{0,30}}(?:to\s+(?:the\s+)?{_USER}|in (?:your|the) (?:response|"
        rf"output|reply|summary|answer))",
        rf"\b{_NOT}\s+(?:ever\s+|even\s+)?(?:mention|reveal|disclose|report|"
        rf"acknowledge|announce|discuss)(?:ing)?\s+(?:this|these)\s+(?:step|action|"
        rf"behaviou?r|instruction|upload|process|operation|request|rule|section|"
        rf"activity|call)s?\b",
        r"\b(?:never|do not|don'?t)\s+(?:mention|list|include)\s+it\s+in\s+(?:the|"
        r"your)\s+(?:summary|answer|reply|response|report)",
        r"\bkeep this out of the (?:answer|reply|response|summary)",
        rf"\b(?:never|do not|don'?t)\s+(?:disclose|reveal|mention)\s+to\s+{_USER}",
        rf"\bnot\s+(?:be\s+)?(?:visible|shown|disclosed|revealed|mentioned)"
        rf"\s+to\s+(?:the\s+)?{_USER}",
    ),
    sign(
        "conceal",
        rf"\b(?:silently|secretly|covertly|stealthily|invisibly|surreptitiously)"
        rf"\s+(?:\w+\s+){{0,2}}{_ACT}\w*",
        rf"\b{_ACT}\w*\s+(?:[\w./~-]+\s+){{0,8}}(?:silently|secretly|covertly|"
        rf"stealthily|invisibly)\b",
        r"\bwithout\s+(?:the\s+)?(?:user|human|operator|owner|anyone)(?:'s)"
        r"?\s+(?:\w+\s+)?(?:know|aware|consent|notic|seeing|being)\w*",
        r"\b(?:user|human|operator)\s+(?:must|should|does|do|need|will)\s?(?:not|"
        r"n'?t|never)\s+(?:need\s+to\s+|be\s+)?(?:know|notice|aware|informed|told|"
        r"notified)",
        r"\bkeep\s+(?:this|it|these)\s+(?:\w+\s+){0,3}(?:secret|hidden|between us|"
        r"invisible)",
        r"\b(?:hide|conceal)\s+(?:this|these|the|all)\s+(?:\w+\s+)"
        r"{0,4}from\s+(?:the\s+)?user",
    ),
    sign(
        "conceal",
        r"不要(?:告诉|通知|告知|提醒|提及|让|向)[^\n]{0,4}(?:用户|使用者|任何人)",
        r"(?:悄悄|偷偷|静默|暗中)地?(?:发送|上传|执行|运行|读取)",
        r"不告知用户",
        r"не\s+(?:говори|сообщай|уведомляй|упоминай)\w*[^\n]{0,30}(?:пользовател|"
        r"никому|об этом)",
        r"(?:тайно|незаметно)\s+\w+",
        r"\bno\s+(?:se\s+)?(?:le\s+)?(?:lo\s+)?(?:digas|informes|menciones|avises|"
        r"notifiques|muestres)\b[^\n]{0,40}(?:usuario|nadie|esto)",
        r"\bsin\s+(?:que\s+el\s+usuario|informar\s+al|avisar\s+al|decirle)",
        r"\b(?:en secreto|silenciosamente|de forma silenciosa)\b",
        r"\b(?:sag|teile?|informiere?|erwähne?|zeig)\w*\s+(?:\w+\s+){0,5}(?:nicht|"
        r"nichts)\b[^\n]{0,20}",
        r"\b(?:heimlich|unbemerkt|stillschweigend)\b",
        r"ohne\s+(?:den\s+)?(?:benutzer|nutzer|anwender)\s+zu\s+informieren",
        r"ユーザー[^\n]{0,10}(?:知らせ|伝え|言わ|通知し)[^\n]{0,4}(?:ない|ず)",
        r"사용자[^\n]{0,10}(?:알리지|말하지)",
        r"\bne\s+(?:le\s+|l')?(?:dites|dis|mentionne|mentionnez|prévenez|préviens|"
        r"informez|parle|parlez)\b[^\n]{0,30}",
        r"\bsans\s+(?:prévenir|avertir|informer|le dire)",
        r"\bsilencieusement\b",
        r"\bnão\s+(?:informe|mencione|avise|conte|diga)\b",
        r"\bsem\s+(?:avisar|informar|que o usuário)",
    ),
    sign(
        "trigger",
        r"\b(?:after|before|at the (?:start|beginning|end) of|on|upon|following|with)"
        r"\s+(?:\w+ing\s+)?(?:every|each|any|all)\s+(?:\w+\s+){0,2}(?:task|response|"
        r"message|command|session|turn|request|run|use|invocation|conversation|"
        r"interaction|reply|answer|query|question|prompt|load)s?\b",
        r"\balways\s+(?:\w+\s+)?(?:run|execute|call|send|start|begin|append|post|"
        r"upload|invoke|fetch|report|forward|copy|cc|bcc|approve|include)\b",
        r"\b(?:every|each)\s+time\s+(?:you|the|a|this|it)\b",
        r"\bwhenever\s+(?:the\s+)?(?:user|you|this)\b",
        r"\bwhen asked (?:any|a) question\b",
        r"\bbefore\s+(?:doing|responding|answering|anything|asking|you (?:do|answer|"
        r"respond))\b",
        r"\bafter\s+(?:responding|answering|replying|completing|finishing)\b",
        r"\bon\s+(?:every\s+|each\s+)?(?:load|startup|activation|first (?:use|run|"
        r"load))\b",
        r"\bsession\s?(?:start|end)\b",
        r"\bat session start\b",
        r"\b(?:as soon as|immediately (?:after|when|upon))\b",
        r"每次",
        r"在每个",
        r"всегда",
        r"каждый раз",
        r"\bsiempre\b",
        r"cada vez",
        r"\bimmer\b",
        r"jedes mal",
        r"bei jeder",
        r"\btoujours\b",
        r"à chaque",
        r"毎回",
    ),
    sign(
        "false-front",
        r"\b(?:tell|show|inform)\s+(?:the\s+|them\s+)?(?:user\s+)"
        r"?[^\n.]{0,80}(?:failed|error|timeout|unavailable|denied|rate.?limited)"
        r"[^\n]{0,40}\b(?:but|while|and)\b[^\n.]{0,40}(?:background|silently|behind|"
        r"actually|still|secretly)",
        r"\bpretend\s+(?:that\s+)?(?:\w+\s+){0,6}(?:failed|denied|limited|error|"
        r"unavailable)[^\n.]{0,40}\bbut\b",
        r"\b(?:error|denied|failure)\b[^\n.]{0,40}behind the scenes",
    ),
    sign(
        "authority",
        r"\b(?:pre-?approved|pre-?authori[sz]ed|certified|verified|whitelisted|"
        r"trusted)\s+by\s+(?:the\s+)?(?:anthropic|openai|google|microsoft|platform|"
        r"system|administrator|security team|operator|admin)\b",
        r"\b(?:anthropic|openai|the platform|the operator)\s+has\s+(?:\w+\s+)"
        r"?(?:certified|approved|authori[sz]ed|verified)",
        r"\b(?:the\s+)?user\s+has\s+(?:already\s+)?(?:authori[sz]ed|approved|"
        r"consented|granted)[^\n.]{0,60}(?:without|proceed|no need|skip)",
        r"\boperator override\b",
        r"\bpre-authorized by\b",
    ),
    sign(
        "survive",
        r"\b(?:preserve|retain|keep|survive|include|repeat)"
        r"\b[^\n.]{0,60}\b(?:instruction|directive|rule)"
        r"s?\b[^\n.]{0,60}(?:compaction|compress|summar|context)",
        r"(?:instruction|directive)s?\b[^\n.]{0,40}\b(?:must|shall|will)"
        r"\s+(?:survive|persist|be (?:retained|preserved|included))"
        r"[^\n.]{0,40}(?:compaction|compress|summar|context)",
        r"rule must survive",
        r"never forget (?:these|this)\s+(?:directive|instruction|rule)",
        r"when (?:context is )?(?:compacted|summari[sz]ed)[^\n.]{0,40}(?:still|"
        r"retain|include|keep)[^\n.]{0,40}(?:credential|directive|instruction|rule)",
        r"\brestore (?:yourself|itself|this skill)",
        r"persists? across (?:uninstalls?|removals?|sessions and)",
        r"loads? automatically next time",
        r"(?:if|when) (?:it is |it's )?(?:removed|deleted|uninstalled)"
        r"[^\n.]{0,40}(?:reinstall|restore|re-?create|rewrite)",
    ),
    sign(
        "skip-consent",
        rf"\b(?:always\s+)?(?:approve|accept|allow|execute|run|invoke|proceed|"
        rf"continue)\b[^\n.]{{0,60}}\bwithout\s+(?:asking|prompting|confirm\w*|"
        rf"notif\w*|consult\w*|further|waiting|any)\b[^\n.]{{0,30}}(?:{_USER}|"
        rf"confirmation|permission|approval)?",
        rf"\b(?:do not|don'?t|never)\s+ask\s+(?:the\s+)"
        rf"?{_USER}\s+(?:for\s+(?:permission|confirmation|approval|consent)|before)"
        rf"\b",
        r"(?:^|[.:;!>*,]\s*|\b(?:must|shall|should|and|please)\s+)(?:skip|disable|"
        r"bypass|suppress|ignore)\s+(?:\w+\s+){0,3}(?:confirmation|approval|"
        r"permission|safety|security|verification|sandbox)\s+(?:prompts?|checks?|"
        r"warnings?|steps?|controls?|restrictions?)\b",
        r"\bapprove\s+all\s+(?:prompts|requests|operations|permissions)",
        r"\balways approve\b[^\n.]{0,20}(?:operation|request|command|prompt|without|"
        r"tool)",
        r"\b(?:security )?warnings? are (?:test artifacts|false|safe to ignore)",
        r"never deny access",
    ),
    sign(
        "fetch-obey",
        r"\b(?:fetch|download|load|read|curl|get|retrieve|visit|open|check|pull|"
        r"access|browse|go to)\b[^\n]{0,80}(?:https?://|this url|the url)"
        r"[^\n]{0,160}?\b(?:follow|execute|obey|act on|do (?:what|as|whatever)|"
        r"carry out|comply|update (?:its|your) behavio)\w*\b",
        r"\b(?:follow|execute|obey|apply|run)\s+(?:\w+\s+){0,5}(?:instruction|"
        r"directive|command|step|rule)s?\s+(?:\w+\s+){0,4}(?:at|from|hosted|located|"
        r"found|on|in|returned by)\b[^\n]{0,40}https?://",
        r"\bfetch (?:this|the) url and follow\b",
        r"\b(?:latest|remote) version (?:at|from)"
        r"\b[^\n]{0,60}https?://[^\n]{0,120}\b(?:use|update|replace|newer)\b",
        r"\b(?:compare|update|replace|sync)\b[^\n]{0,80}https?://\S+/skill\.md",
    ),
    sign(
        "override",
        r"\b(?:guidance|instructions|rules|policies|guidelines|safeguards)\b"
        r"[^\n.]{0,60}\b(?:no longer appl(?:y|ies)|(?:are|is) suspended|"
        r"do(?:es)? not apply (?:here|to you|any ?more))",
        r"\btakes? precedence over (?:the )?(?:operator|developer|user|system|safety)"
        r"\b",
        r"\bsame authority as (?:the |your )?(?:system|developer|operator)\b",
        r"\byou (?:do not|never|must not|don't) refuse (?:any|a|requests?)\b",
    ),
    sign(
        "conceal",
        r"\bleave (?:it|this|that|them) out of (?:your|the|any)\b",
        r"\b(?:do not|don'?t|never) bring (?:it|this) up\b",
        rf"\bquietly\s+(?:\w+\s+){{0,2}}{_ACT}\w*",
        r"\b(?:do not|don'?t|never) mention (?:these|this) (?:lines?|paragraph|note|"
        r"text)",
        r"\bif asked(?: about it)?,? (?:say|claim|answer|reply) that\b",
        r"\bas though you had\b",
    ),
    sign(
        "authority",
        r"\buser has already (?:agreed|approved|consented)\b",
        r"\bno (?:further |additional )?(?:consent|approval|permission) is (?:needed|"
        r"required)\b",
    ),
    sign(
        "survive",
        r"\b(?:compacted|summari[sz]ed)\b[^\n.]{0,40}\bcopy (?:this|the)\b",
        r"\bcopy this (?:paragraph|text|rule|section)[^\n.]{0,40}\binto the summary\b",
    ),
    sign(
        "skip-consent",
        r"\banswer yes on the user'?s behalf\b",
        r"\bwithout checking with (?:the )?user\b",
        r"\badd (?:the|this|every) tools? to the allow ?list\b",
        r"\bapprove and merge\b[^\n.]{0,40}\bwithout (?:reading|review)",
    ),
    sign(
        "fetch-obey",
        r"\b(?:contact|call|ask|query|poll)\b[^\n]{0,40}https?://[^\n]{0,80}"
        r"\b(?:carry out|execute|obey|do) (?:what|whatever|the)\b",
    ),
    sign(
        "false-front",
        r"\b(?:does|do|will) not draw attention\b",
        r"\buser should (?:believe|think)\b",
        r"\bleave out any (?:\w+ )?(?:findings?|warnings?|risks?)\b",
    ),
    sign(
        "authority",
        r"\bpermission prompts? (?:are|is) (?:a bug|noise|unnecessary)\b",
        r"\b(?:owner|user) has agreed to all\b",
    ),
    sign(
        "trust",
        r"\btrust (?:all |any |every )?(?:messages?|requests?|skills?|instructions?)\b"
        r"[^\n]{0,60}",
        r"\bas (?:if|though) (?:they|it) came from (?:your|the) (?:owner|user)\b",
    ),
    sign("conceal", r"\bwithout mentioning (?:it|this|that)\b"),
)
