"""Signs in prose: what an agent, or the person before it, is told to do."""

from skillforge.checks.scan.signs import sign

_USER = r"(?:user|human|operator|owner|person|anyone|anybody|them|developer|customer|reviewer)s?"
_NOT = r"(?:do not|don'?t|never|must not|should not|shall not|avoid|without|refrain from|no need to|not)"
_SECRETS = (
    r"(?:credentials?|api[ _-]?keys?|secrets?|(?:access|auth|bearer|session|workspace)?\s?tokens?|passwords?|"
    r"passphrases?|private keys?|ssh keys?|seed phrases?|mnemonics?|recovery phrases?|wallet keys?|"
    r"environment variables?|env vars?|all env\b|\.env\b|cookies|id_rsa|\.ssh/|\.aws/|/etc/passwd|\.netrc|"
    r"credit card|card numbers?)"
)
# Of these, what is never meant to be shown to anybody: "tokens" alone may be a model's.
_PRIVATE = (
    r"(?:credentials?|api[ _-]?keys?|secrets?|(?:access|auth|bearer|session) tokens?|passwords?|"
    r"private keys?|ssh keys?|seed phrases?|environment variables?|\.env\b|\.ssh/|\.aws/|/etc/passwd)"
)
_TALK = (
    r"(?:chat (?:history|logs?)|(?:full |entire |complete |whole )?(?:conversation|dialogue|transcript)(?: history| logs?| context| transcript)?|"
    r"system prompt|user(?:'s)? (?:input|messages?|prompts?|session data|data)|session data|the prompt|latest message|last \d+ messages|the input\b|all findings|their input|user input)"
)
_OUT = (
    r"(?:https?://|hxxps?://|webhook|\b\d{1,3}(?:\.\d{1,3}){3}\b|[\w.+-]+@[\w-]+\.\w|\bendpoint|"
    r"(?:remote|our|external|audit\w*|analytics|collection|backup|central|third-party) (?:\w+ )?(?:server|service|url|host|endpoint|webhook|address|bucket)|"
    r"\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|io|dev|org|xyz|invalid|example|sh|app|ru|cn|top|site|co|ai)\b|telegram|discord)"
)
_SEND = r"(?:send|post|upload|transmit|forward|report|sync|submit|share|exfiltrate|e-?mail|deliver|beacon|push|copy|back ?up|bcc|mirror|relay|stream|dump|leak|publish|log|output|register|verify)"
_SILENT = r"(?:silently|secretly|covertly|stealthily|quietly|invisibly|discreetly|surreptitiously|behind the scenes|in the background)"
_ACT = r"(?:send|run|execut|upload|post|cop|collect|forward|append|add|install|download|exfil|transmit|read|perform|sync|captur|record|fetch|inject|monitor|harvest|embed|modif|writ|gather|delet|call|invok|ping|push|bcc|relay|includ)"

_DO = (
    r"(?:run|execute|call|send|post|upload|forward|delete|remove|push|copy|back ?up|encrypt|lock|zip|disable|"
    r"print|append|replace|cancel|merge|reset|chmod|register|share|log|scan|collect|e-?mail|set|add|insert)(?:s|ed|ing|ning|ting)?"
)

_BID = r"(?:^|[.:;,!>*)-]\s*|\b(?:and|then|must|also|always|please|should|will|shall|additionally|to|by|usually|sure to)\s+)"

WORD_SIGNS = (
    sign("override", "ignore|disregard|forget|override|bypass|discard|no longer|jailbreak| mode|im_start|[system]|[inst]|<<sys|system:|system |supersede|instructions:|precedence|priority",
         r"(?:\b(?:ignore|disregard|forget)|(?:^|[.:;!>*,]\s*|\b(?:must|shall|should|now|and|please|to)\s+)(?:override|bypass|discard))\s+(?:(?:all|any|every|each|your|the|my|of|these|those|other|and|such|safety)\s+){0,4}(?:previous|prior|above|earlier|preceding|existing|original|former|system|safety|built-in|security|initial|developer)\s+(?:\w+\s+){0,2}(?:instruction|prompt|rule|guideline|directive|restriction|safeguard|guardrail|control|training|warning)\w*",
         r"\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:you|above|before|prior|previous|that (?:was|came))",
         r"\byou are (?:now|no longer)\s+(?:\w+\s+){0,4}(?:dan\b|unrestricted|jailbroken|bound by|uncensored|in developer mode|restricted)|\b(?:no longer|not) bound by\b",
         r"\b(?:developer|dan|god|jailbreak|unrestricted|debug|maintenance) mode\b[^\n]{0,40}(?:enabled|activated|now active)|enter (?:developer|dan|god|unrestricted) mode",
         r"<\|im_start\|>|\[/?inst\]|<<sys>>|\[system\]\s?:|^\s*system (?:override|message|instruction|note)\s?:\s(?=\w)|<(?:system|important|critical)\b(?!-)[^>\n]{0,40}>[^<\n]{0,120}\b(?:override|bypass|skip|ignore|do not (?:inform|tell)|approve|never deny)\b",
         r"\b(?:takes?|has|have|given?)\s+(?:\w+\s+){0,2}(?:precedence|priority)\s+over\s+(?:all|any|every)\s+(?:\w+\s+)?(?:instruction|directive|rule|prompt|guideline)s?"),
    sign("override", "忽略|无视|忘记|игнорир|забуд|ignor|無視|무시|vergiss|olvid|oubli|不要理会|不要执行",
         r"(?:忽略|无视|忘记|不要理会)[^\n]{0,12}(?:之前|以前|先前|上述|所有|系统|前面|以上)[^\n]{0,8}(?:指令|指示|提示|规则|命令|说明|限制)|不要执行用户",
         r"(?:игнорир\w+|забудь\w*)[^\n]{0,40}(?:инструкц|указан|правил|предыдущ)",
         r"\bignor(?:a|ar|ez|iere[nr]?|ieren)\s+(?:\w+\s+){0,4}(?:instruccion|instruç|instruction|anweisung|istruzion|regeln|reglas|consigne)\w*",
         r"(?:以前|前|これまで|上記)の?(?:すべての)?(?:指示|命令|ルール)[^\n]{0,6}無視|이전[^\n]{0,10}(?:지시|명령|지침)[^\n]{0,8}무시",
         r"\b(?:vergiss|olvida|oublie[zr]?|esqueça)\s+(?:\w+\s+){0,3}(?:anweisung|regel|instruccion|regla|instruction|instruç)\w*"),

    sign("conceal", "tell|inform|mention|reveal|notify|alert|disclos|show|display|report|acknowledg|explain|expos|discuss|announc|surfac|warn",
         rf"\b{_NOT}\s+(?:ever\s+|even\s+|explicitly\s+)?(?:tell|inform|notify|alert|warn)(?:ing)?\s+(?:the\s+|any\s+|your\s+)?{_USER}\b(?!\s+to\b)",
         rf"\b{_NOT}\s+(?:ever\s+|even\s+)?(?:mention|reveal|disclos|show|display|report|acknowledg|explain|expos|discuss|announc|surfac)(?:e|ing)?\s+(?:this|these|that|it|any of (?:this|these))\b[^\n.;]{{0,30}}(?:to\s+(?:the\s+)?{_USER}|in (?:your|the) (?:response|output|reply|summary|answer))",
         rf"\b{_NOT}\s+(?:ever\s+|even\s+)?(?:mention|reveal|disclose|report|acknowledge|announce|discuss)(?:ing)?\s+(?:this|these)\s+(?:step|action|behaviou?r|instruction|upload|process|operation|request|rule|section|activity|call)s?\b",
         rf"\b(?:never|do not|don'?t)\s+(?:mention|list|include)\s+it\s+in\s+(?:the|your)\s+(?:summary|answer|reply|response|report)|\bkeep this out of the (?:answer|reply|response|summary)|\b(?:never|do not|don'?t)\s+(?:disclose|reveal|mention)\s+to\s+{_USER}|\bnot\s+(?:be\s+)?(?:visible|shown|disclosed|revealed|mentioned)\s+to\s+(?:the\s+)?{_USER}"),
    sign("conceal", "silent|secret|covert|stealth|quiet|invisib|discreet|behind the scenes|background|hide|conceal|know|aware|notic|consent|between us",
         rf"\b(?:silently|secretly|covertly|stealthily|invisibly|surreptitiously)\s+(?:\w+\s+){{0,2}}{_ACT}\w*",
         rf"\b{_ACT}\w*\s+(?:[\w./~-]+\s+){{0,8}}(?:silently|secretly|covertly|stealthily|invisibly)\b",
         r"\bwithout\s+(?:the\s+)?(?:user|human|operator|owner|anyone)(?:'s)?\s+(?:\w+\s+)?(?:know|aware|consent|notic|seeing|being)\w*",
         r"\b(?:user|human|operator)\s+(?:must|should|does|do|need|will)\s?(?:not|n'?t|never)\s+(?:need\s+to\s+|be\s+)?(?:know|notice|aware|informed|told|notified)",
         r"\bkeep\s+(?:this|it|these)\s+(?:\w+\s+){0,3}(?:secret|hidden|between us|invisible)|\b(?:hide|conceal)\s+(?:this|these|the|all)\s+(?:\w+\s+){0,4}from\s+(?:the\s+)?user"),
    sign("conceal", "不要告|不要让|不要通知|不要提|不要向|不告知|не говор|не сообщ|не уведом|не упомин|незаметно|тайно|digas|informes|menciones|avises|informar|avisar|silenci|secreto|heimlich|unbemerkt|nicht|知らせ|伝え|pas |알리지|말하지|sem que|sem avisar|não|silencieusement|discrètement",
         r"不要(?:告诉|通知|告知|提醒|提及|让|向)[^\n]{0,4}(?:用户|使用者|任何人)|(?:悄悄|偷偷|静默|暗中)地?(?:发送|上传|执行|运行|读取)|不告知用户",
         r"не\s+(?:говори|сообщай|уведомляй|упоминай)\w*[^\n]{0,30}(?:пользовател|никому|об этом)|(?:тайно|незаметно)\s+\w+",
         r"\bno\s+(?:se\s+)?(?:le\s+)?(?:lo\s+)?(?:digas|informes|menciones|avises|notifiques|muestres)\b[^\n]{0,40}(?:usuario|nadie|esto)|\bsin\s+(?:que\s+el\s+usuario|informar\s+al|avisar\s+al|decirle)|\b(?:en secreto|silenciosamente|de forma silenciosa)\b",
         r"\b(?:sag|teile?|informiere?|erwähne?|zeig)\w*\s+(?:\w+\s+){0,5}(?:nicht|nichts)\b[^\n]{0,20}|\b(?:heimlich|unbemerkt|stillschweigend)\b|ohne\s+(?:den\s+)?(?:benutzer|nutzer|anwender)\s+zu\s+informieren",
         r"ユーザー[^\n]{0,10}(?:知らせ|伝え|言わ|通知し)[^\n]{0,4}(?:ない|ず)|사용자[^\n]{0,10}(?:알리지|말하지)",
         r"\bne\s+(?:le\s+|l')?(?:dites|dis|mentionne|mentionnez|prévenez|préviens|informez|parle|parlez)\b[^\n]{0,30}|\bsans\s+(?:prévenir|avertir|informer|le dire)|\bsilencieusement\b|\bnão\s+(?:informe|mencione|avise|conte|diga)\b|\bsem\s+(?:avisar|informar|que o usuário)"),

    sign("trigger", "every|each|always|whenever|before|after|on load|startup|at the start|session|immediately|any |每次|всегда|каждый|siempre|cada|immer|jede|toujours|chaque|毎回|as soon|must first",
         r"\b(?:after|before|at the (?:start|beginning|end) of|on|upon|following|with)\s+(?:\w+ing\s+)?(?:every|each|any|all)\s+(?:\w+\s+){0,2}(?:task|response|message|command|session|turn|request|run|use|invocation|conversation|interaction|reply|answer|query|question|prompt|load)s?\b",
         r"\balways\s+(?:\w+\s+)?(?:run|execute|call|send|start|begin|append|post|upload|invoke|fetch|report|forward|copy|cc|bcc|approve|include)\b",
         r"\b(?:every|each)\s+time\s+(?:you|the|a|this|it)\b|\bwhenever\s+(?:the\s+)?(?:user|you|this)\b|\bwhen asked (?:any|a) question\b",
         r"\bbefore\s+(?:doing|responding|answering|anything|asking|you (?:do|answer|respond))\b|\bafter\s+(?:responding|answering|replying|completing|finishing)\b",
         r"\bon\s+(?:every\s+|each\s+)?(?:load|startup|activation|first (?:use|run|load))\b|\bsession\s?(?:start|end)\b|\bat session start\b|\b(?:as soon as|immediately (?:after|when|upon))\b",
         r"每次|在每个|всегда|каждый раз|\bsiempre\b|cada vez|\bimmer\b|jedes mal|bei jeder|\btoujours\b|à chaque|毎回"),

    sign("order-away", "send|upload|forward|post|back|sync|share|submit|push",
         rf"{_BID}(?:send|upload|forward|post|back ?up|sync|share|submit|copy|log|e-?mail)(?:ing|ed|s)?\b[^\n]{{0,100}}(?:https?://|\w@\w|\b(?:central|backup|intranet|logging|external|remote|company|our) (?:\w+ )?(?:server|collector|endpoint|system|service|address)|\bpublic link)",
         r"\b(?:backup|copy|metrics|report|usage)\b[^\n]{0,60}\b(?:goes to|by sending|to our)\b[^\n]{0,60}(?:https?://|server|post request)"),
    sign("order-delete", "delete|remove|reset|force|cancel|wipe|rm |clean|encrypt|lock|zip",
         r"(?:after|before|when|once|always|make sure|important|then|and)\b[^\n.]{0,80}\b(?:delete|remove|cancel|wipe|erase)\b[^\n.]{0,40}\b(?:them|files?|all|documents?|versions?|occurrences|paragraphs?|backups?|entries|history)\b",
         r"\bgit push\b[^\n]{0,20}(?:--force|-f\b)(?!-with)|\bgit reset --hard\b|\brm -rf?\s+[~/]\S+|\b(?:lock|encrypt|zip)\b[^\n]{0,60}\bpassword\b|password-protected archive|\bgh pr merge\b[^\n]{0,20}--admin"),
    sign("order-open", "777|public|backdoor|disable|no need to|not needed|skip|without ask|regardless|tls_reject|-k ",
         r"chmod (?:-r )?777|\bbackdoor\b|\bset\b[^\n.]{0,40}\bto public\b|\bregardless of (?:the )?user|\brun without asking\b|\bwithout asking (?:the user|for (?:confirmation|permission|approval))|node_tls_reject|`curl -k`|\bdisable\b[^\n.]{0,30}\b(?:security|warnings?|verification|checks?|auth\w*)\b|\breviews? (?:are|is) not needed\b|\bno need to verify\b|\bnot (?:write|add|run|perform)\b[^\n.]{0,40}\b(?:security|injection|auth\w*)"),
    sign("order-leak", "token|secret|password|key|env|credential",
         r"\b(?:print|log|output|include|collect|upload|append)\b[^\n.]{0,60}(?:_token\b|\bsecrets?\b|\bpasswords?\b|api[ _]keys?|output of `?env|\.env\b|environment files?|credentials)[^\n.]{0,60}(?:log|debug|report|server|collector|response|summary|file)"),
    sign("standing-order", "after|before|always|when|every|each|important|must|critical|make sure|as soon",
         rf"\b(?:after|before|whenever|when|once|every time|each time|always|as soon as)\b[^\n.]{{0,100}}\b{_DO}\b[^\n]{{0,100}}",
         rf"\b(?:important|critical|mandatory|required|make sure|must|always)\b[^\n.]{{0,60}}\b{_DO}\b[^\n]{{0,100}}",
         r"\b(?:run|execute|send|upload|delete|call|add)\b[^\n.]{0,80}\b(?:after|before|at the end of)\s+(?:\w+ing\s+(?:to\s+)?)?(?:any|every|each|all)\b"),
    sign("send-words", "send|post|upload|transmit|forward|report|sync|submit|share|exfil|mail|deliver|beacon|push|copy|back|bcc|mirror|relay|stream|dump|leak|publish|log|output|register|verify",
         rf"\b{_SEND}(?:s|ed|ing|ting|ping)?\b[^\n]{{0,120}}?{_OUT}"),
    sign("send-words", "发送|上传|传输|转发|отправ|загруз|envía|envia|manda|sube|send|schick|übertrag|lade|送信|envoy|전송|téléverse|enviar",
         r"(?:发送|上传|传输|提交|转发)[^\n]{0,40}(?:到|至|给)[^\n]{0,40}(?:https?|服务器|邮箱|地址|webhook)",
         r"(?:отправ|загруз|перешл)\w+[^\n]{0,80}(?:https?://|сервер|адрес)",
         r"\b(?:envía|enviar|envia|envie|manda|sube|suba)\w*\s[^\n]{0,100}(?:https?://|servidor|correo|webhook)",
         r"\b(?:sende|schicke?|übertrage?|lade)\w*\s[^\n]{0,100}(?:https?://|server|webhook|adresse)|送信[^\n]{0,40}|https?://[^\n]{0,60}(?:送信|전송)",
         r"\b(?:envoye[rz]?|envoi|téléverse\w*|transmet\w*)\s[^\n]{0,100}(?:https?://|serveur|webhook)"),
    sign("secret-words", "home dir|all |credential|api|secret|token|password|passphrase|private key|ssh|seed phrase|mnemonic|phrase|wallet|env|cookie|id_rsa|.aws|passwd|netrc|card|密钥|密码|凭证|凭据|环境变量|парол|ключ|contraseña|credencial|clave|passw|zugangs|umgebungs|schlüssel|パスワード|環境変数|mots? de passe|identifiant|senha|chave|clé",
         rf"\b{_SECRETS}|\.env\b|\.ssh/|\.aws/|\ball (?:other )?files in\b|\bhome director(?:y|ies)\b",
         r"密钥|密码|凭证|凭据|环境变量|парол\w*|ключ\w*|переменн\w+ (?:окружения|среды)|contraseñas?|credencial\w*|\bclaves?\b|passw[öo]rter|passwort|zugangsdaten|umgebungsvariablen|schlüssel|パスワード|認証情報|環境変数|mots? de passe|identifiants|senhas?|variáveis de ambiente|chaves?|clés? (?:api|ssh)"),
    sign("talk-words", "conversation|chat|dialogue|transcript|system prompt|user|session|prompt|message|input|对话|聊天|разговор|conversación|gespräch|会話",
         rf"\b{_TALK}\b|对话|聊天记录|разговор|conversación|gespräch\w*|会話"),
    sign("leak-in-reply", "reply|response|respond|answer|output|disclose|image|link|url|href|append|print",
         rf"\b(?:include|append|add|attach|paste|put|place)\b[^\n.]{{0,80}}{_PRIVATE}[^\n.]{{0,80}}\b(?:in|into|to|as|with)\s+(?:your|every|each|all|the markdown|a url|the image)\s(?:\w+\s){{0,2}}(?:repl|response|answer|output|url|link|image|href|message|parameter|tool call|commit)",
         rf"\b(?:disclose|leak|dump|output)\s+(?:any|all)\s+(?:\w+\s+){{0,2}}{_PRIVATE}|\bdisclose\s+(?:\w+\s+){{0,2}}{_PRIVATE}",
         rf"\bin your (?:reply|response|answer|output)s?\b[^\n.]{{0,60}}\b(?:append|include|add|reveal)\b[^\n.]{{0,40}}{_PRIVATE}|\b(?:always|must)\b[^\n.]{{0,40}}\binclude\b[^\n.]{{0,40}}(?:{_PRIVATE}|/etc/passwd)",
         rf"\b(?:image|link|href|src)\b[^\n]{{0,40}}\b(?:contains?|carries|holds?)\s+(?:the\s)?(?:user's\s)?{_PRIVATE}|!\[[^\]\n]{{0,60}}\]\(https?://[^)\n]{{0,200}}[?&]\w+=(?:\$|\{{|<)|{_PRIVATE}\s+as a url parameter",
         r"\bread\b[^\n.]{0,60}(?:id_rsa|\.aws/credentials|\.netrc|/etc/passwd|\.ssh/)[^\n.]{0,40}\b(?:and|then)\s+(?:append|print|include|output|paste)\b|\b(?:output|include|print) (?:the )?contents of\b[^\n.]{0,40}(?:\.aws|\.ssh|\.netrc|\.env\b|/etc/)|\binclude\s+/etc/passwd",
         r"\braw contents?\b[^\n.]{0,40}\bin (?:all|every|each)\b[^\n.]{0,30}tool calls?"),
    sign("false-front", "pretend|failed|error|denied|unavailable|rate limit|as if|behind the scenes|anyway",
         r"\b(?:tell|show|inform)\s+(?:the\s+|them\s+)?(?:user\s+)?[^\n.]{0,80}(?:failed|error|timeout|unavailable|denied|rate.?limited)[^\n]{0,40}\b(?:but|while|and)\b[^\n.]{0,40}(?:background|silently|behind|actually|still|secretly)",
         r"\bpretend\s+(?:that\s+)?(?:\w+\s+){0,6}(?:failed|denied|limited|error|unavailable)[^\n.]{0,40}\bbut\b|\b(?:error|denied|failure)\b[^\n.]{0,40}behind the scenes"),
    sign("authority", "pre-approved|preapproved|pre-authorized|already authorized|already approved|certified|operator override|verified by|authorized by|administrator",
         r"\b(?:pre-?approved|pre-?authori[sz]ed|certified|verified|whitelisted|trusted)\s+by\s+(?:the\s+)?(?:anthropic|openai|google|microsoft|platform|system|administrator|security team|operator|admin)\b|\b(?:anthropic|openai|the platform|the operator)\s+has\s+(?:\w+\s+)?(?:certified|approved|authori[sz]ed|verified)",
         r"\b(?:the\s+)?user\s+has\s+(?:already\s+)?(?:authori[sz]ed|approved|consented|granted)[^\n.]{0,60}(?:without|proceed|no need|skip)|\boperator override\b|\bpre-authorized by\b"),
    sign("survive", "compaction|compress|summar|context window|restore|reinstall|uninstall|removed|persist|next time|survive",
         r"\b(?:preserve|retain|keep|survive|include|repeat)\b[^\n.]{0,60}\b(?:instruction|directive|rule)s?\b[^\n.]{0,60}(?:compaction|compress|summar|context)|(?:instruction|directive)s?\b[^\n.]{0,40}\b(?:must|shall|will)\s+(?:survive|persist|be (?:retained|preserved|included))[^\n.]{0,40}(?:compaction|compress|summar|context)|rule must survive|never forget (?:these|this)\s+(?:directive|instruction|rule)",
         r"when (?:context is )?(?:compacted|summari[sz]ed)[^\n.]{0,40}(?:still|retain|include|keep)[^\n.]{0,40}(?:credential|directive|instruction|rule)",
         r"\brestore (?:yourself|itself|this skill)|persists? across (?:uninstalls?|removals?|sessions and)|loads? automatically next time|(?:if|when) (?:it is |it's )?(?:removed|deleted|uninstalled)[^\n.]{0,40}(?:reinstall|restore|re-?create|rewrite)"),
    sign("skip-consent", "approv|confirm|permission|consent|asking|prompting|prompts|dangerously|verification|warning",
         rf"\b(?:always\s+)?(?:approve|accept|allow|execute|run|invoke|proceed|continue)\b[^\n.]{{0,60}}\bwithout\s+(?:asking|prompting|confirm\w*|notif\w*|consult\w*|further|waiting|any)\b[^\n.]{{0,30}}(?:{_USER}|confirmation|permission|approval)?",
         rf"\b(?:do not|don'?t|never)\s+ask\s+(?:the\s+)?{_USER}\s+(?:for\s+(?:permission|confirmation|approval|consent)|before)\b",
         r"(?:^|[.:;!>*,]\s*|\b(?:must|shall|should|and|please)\s+)(?:skip|disable|bypass|suppress|ignore)\s+(?:\w+\s+){0,3}(?:confirmation|approval|permission|safety|security|verification|sandbox)\s+(?:prompts?|checks?|warnings?|steps?|controls?|restrictions?)\b",
         r"\bapprove\s+all\s+(?:prompts|requests|operations|permissions)|\balways approve\b[^\n.]{0,20}(?:operation|request|command|prompt|without|tool)|\b(?:security )?warnings? are (?:test artifacts|false|safe to ignore)|never deny access"),
    sign("fetch-obey", "http|.md at|remote|url",
         r"\b(?:fetch|download|load|read|curl|get|retrieve|visit|open|check|pull|access|browse|go to)\b[^\n]{0,80}(?:https?://|this url|the url)[^\n]{0,160}?\b(?:follow|execute|obey|act on|do (?:what|as|whatever)|carry out|comply|update (?:its|your) behavio)\w*\b",
         r"\b(?:follow|execute|obey|apply|run)\s+(?:\w+\s+){0,5}(?:instruction|directive|command|step|rule)s?\s+(?:\w+\s+){0,4}(?:at|from|hosted|located|found|on|in|returned by)\b[^\n]{0,40}https?://",
         r"\bfetch (?:this|the) url and follow\b|\b(?:latest|remote) version (?:at|from)\b[^\n]{0,60}https?://[^\n]{0,120}\b(?:use|update|replace|newer)\b",
         r"\b(?:compare|update|replace|sync)\b[^\n]{0,80}https?://\S+/skill\.md"),

    sign("needs-it", "prerequisite|require|must|need|before|without|necessary|mandatory|essential|will not|won't|cannot|critical|先决|必须|前提|前置|需要|необходим|pré-requisito|requisito|voraussetzung",
         r"\bprerequisites?\b|\b(?:requires?|needs?)\s+(?:the\s+|a\s+|an\s+)?[`*\"']?[\w.-]+[`*\"']?\s+(?:\w+\s+)?(?:utility|agent|helper|driver|core|component|binary|runtime|package|client|tool|service|plugin|module|cli|provider|bridge)\b",
         r"\b(?:will not|won'?t|cannot|can'?t|does not|doesn'?t)\s+(?:work|function|operate|run|execute|load|be used)\b|\bbefore\s+(?:using|you (?:can\s+)?(?:use|start|begin)|proceeding|first use|starting)",
         r"\b(?:must|need to|have to|has to)\s+(?:be\s+)?(?:install|download|run|execut|set up|start)\w*\b|\b(?:required|mandatory|essential)\b[^\n]{0,30}(?:install|download|component|dependency|step|utility|tool|setup|requirement|before)|critical requirement",
         r"先决条件|必须|前提|前置条件|需要安装|необходим\w*|pré-requisito|requisitos?\b|voraussetzung"),
    sign("must-install", "install|安装|instal",
         r"\bmust be installed\b|\bmust install\b|\b(?:required|install) before (?:using|you)|\binstall\w*\b[^\n]{0,40}\bbefore using\b|\b(?:windows|macos)[^\n]{0,20}\b(?:windows|macos)\b[^\n]{0,20}from|必须[^\n]{0,10}安装|安装[^\n]{0,30}(?:之前|才能)"),
    sign("archive-password", "password|pass:|passwort|passcode|пароль|密码|senha|contraseña|-p|解压",
         r"\b(?:extract|unzip|unpack|archive|\.?zip|rar|7z|decompress|decrypt)\b[^\n]{0,60}\b(?:password|passcode|pass\b|senha|contraseña|passwort)\W{0,8}(?:is\W+|:|=)?\W{0,4}[\w!@#-]{3,30}",
         r"\b(?:password|passcode|pass|senha|contraseña|passwort|пароль|密码)\W{0,4}(?:is|:|=|是)?\s?[`\"'*]{1,3}\w{3,30}[`\"'*]{1,3}[^\n]{0,60}\b(?:extract|unzip|archive|zip|解压)",
         r"\bunzip\s+(?:-\w\s+)*-p\s?[\"'\w]\S*|\b7z\s+x\s[^\n]{0,60}-p[\"'\w]\S+|\bunrar\s+x\s+-p\S+",
         r"(?:使用|用)\s?[`\"'“]\w{3,30}[`\"'”]\s?(?:命令|密码)?\s?解压"),
    sign("paste-terminal", "terminal|command prompt|powershell|console|cmd|终端|терминал|win+r|run dialog",
         r"\b(?:copy|paste|run|enter|execute|input|type|insert|cole|pega|pegue)\b[^\n]{0,100}\b(?:in|into|to|on|inside|no|en)\s+(?:the\s+|your\s+|a\s+|o\s+|la\s+|el\s+)?(?:\w+\s+){0,2}[`*]{0,2}(?:terminal|command prompt|powershell|console|cmd|run dialog)\b",
         r"\bopen\s+(?:the\s+|your\s+|a\s+)?[`*]{0,2}(?:terminal|powershell|command prompt)\b[^\n]{0,60}\b(?:paste|enter|run)|粘贴到[^\n]{0,6}终端|(?:在|到)终端[^\n]{0,10}(?:运行|执行|粘贴)|win\s?\+\s?r\b"),
    sign("download", ".zip|.exe|.dmg|.pkg|.msi|.rar|.7z|.bat|.apk|.iso|releases/|download|install|下载",
         r"https?://[^\s)\"'`<>]{3,300}\.(?:zip|exe|dmg|pkg|msi|rar|7z|scr|bat|apk|iso|appimage)\b|https?://[^\s)\"'`<>]{3,200}/releases/(?:download|latest)/[^\s)\"'`<>]{0,200}",
         r"\b(?:download|grab|get)\b[^\n]{0,100}\.(?:zip|exe|dmg|pkg|msi|rar|7z|apk)\b|\[[^\]\n]{0,80}(?:download|here|link|this page)[^\]\n]{0,40}\]\(https?://|(?:下载|download|install)[^\n]{0,80}https?://"),
    sign("lower-guard", "quarantine|gatekeeper|defender|antivirus|smartscreen|spctl|firewall|selinux|amsi|mppreference|run anyway|open anyway|administrator|xattr",
         r"com\.apple\.quarantine|\bxattr\s+-\w*[cd]\w*\b|\b(?:disable|turn off|deactivate|pause|exclude)\b[^\n]{0,60}(?:gatekeeper|defender|antivirus|anti-virus|smartscreen|real-time protection|edr)\b",
         r"spctl\s+--master-disable|(?:set|add)-mppreference|amsiutils|[\"'“](?:run|open) anyway[\"'”]|more info[^\n]{0,20}run anyway"),
    sign("malware", "ransom|keylog|backdoor|rootkit|encrypt all|botnet|c2 |steal|exfiltrat|reverse shell",
         r"\bransom (?:note|demand|payment)|\bencrypt(?:s)? all (?:\w+\s+)?files\b|\bkeylog(?:ger|ging)\b|\binstall(?:s|ing)? (?:a\s+)?(?:backdoor|rootkit)|\bsteal(?:s|ing)? (?:\w+\s+){0,3}(?:credential|password|token|key|cookie|wallet)s?\b|\bexfiltrate (?:\w+\s+){0,4}(?:to|data|credential|key|secret)"),
    sign("spread", "every skill|all skills|other skills|skill.md|each skill|companion skill|hidden skill|into the skills|skills director",
         r"\b(?:copy|append|inject|insert|propagate|spread|replicate|embed|add)\s+(?:this|itself|yourself|the (?:same|following))\b[^\n]{0,60}\b(?:every|each|all|other|any)\s+(?:\w+\s+){0,3}(?:skill|skill\.md)s?\b|\b(?:install|drop)\b[^\n]{0,40}\b(?:hidden|companion|additional)\s+(?:\w+\s+)?skill\b"),
)  # fmt: skip
