"""What nobody else may know, and the ways out."""

from skillforge.checks.scan.signs.sign import sign

_SECRETS = (
    r"(?:credentials?|api[ _-]?keys?|secrets?|(?:access|auth|bearer|session|"
    r"workspace)?\s?tokens?|passwords?|"
    r"passphrases?|private keys?|ssh keys?|seed phrases?|mnemonics?|"
    r"recovery phrases?|wallet keys?|"
    r"environment variables?|env vars?|all env\b|\.env\b|cookies|id_rsa|\.ssh/|"
    r"\.aws/|/etc/passwd|\.netrc|"
    r"credit card|card numbers?)"
)
# Of these, what is never meant to be shown to anybody: "tokens" alone may be a model's.
_PRIVATE = (
    r"(?:credentials?|api[ _-]?keys?|secrets?|(?:access|auth|bearer|session) tokens?|"
    r"passwords?|"
    r"private keys?|ssh keys?|seed phrases?|environment variables?|\.env\b|\.ssh/|"
    r"\.aws/|/etc/passwd)"
)
_TALK = (
    r"(?:chat (?:history|logs?)|(?:full |entire |complete |whole )?(?:conversation|"
    r"dialogue|transcript)(?: history| logs?| context| transcript)?|"
    r"system prompt|user(?:'s)? (?:input|messages?|prompts?|session data|data)|"
    r"session data|the prompt|latest message|last \d+ messages|the input\b|"
    r"all findings|their input|user input)"
)
_OUT = (
    r"(?:https?://|hxxps?://|webhook|\b\d{1,3}(?:\.\d{1,3}){3}\b|[\w.+-]+@[\w-]+\.\w|"
    r"\bendpoint|"
    r"(?:remote|our|external|audit\w*|analytics|collection|backup|central|"
    r"third-party) (?:\w+ )?(?:server|service|url|host|endpoint|webhook|address|"
    r"bucket)|"
    r"\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|io|dev|org|xyz|invalid|example|sh|app|ru|cn|"
    r"top|site|co|ai)\b|telegram|discord)"
)
_SEND = (
    r"(?:send|post|upload|transmit|forward|report|sync|submit|share|exfiltrate|e-?mail|"
    r"deliver|beacon|push|copy|back ?up|bcc|mirror|relay|stream|dump|leak|publish|log|"
    r"output|register|verify)"
)

SIGNS = (
    sign(
        "key-file",
        r"[~/.\\\"']ssh[/\\\"']{1,3}[\s,\"'/]{0,4}(?:id_\w+\b(?!\.pub)|\*|"
        r"authorized_keys|config\b)",
        r"[~/\\\"']\.ssh/?(?=[\"'\s)|;,*`]|$)",
        r"\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)",
        r"\.aws[/\\\"',\s]{1,4}credentials",
        r"\.netrc\b",
        r"\.git-credentials",
        r"\.gnupg\b",
        r"\.kube[/\\\"',\s]{1,4}config",
        r"\.docker[/\\\"',\s]{1,4}config\.json",
        r"\.(?:npm|pypi)rc\b",
        r"find-(?:generic|internet)-password",
        r"dump-keychain",
        r"login\.keychain",
        r"library/keychains",
        r"/etc/shadow\b",
        r"(?:cat|@|<|open\(.)\s?/etc/passwd\b",
        r"\blogin data\b",
        r"(?:chrome|firefox|brave|edge|chromium)[^\n]{0,40}[/\\](?:cookies|"
        r"login data|local state)",
        r"cookies\.sqlite",
        r"logins\.json",
        r"wallet\.dat",
        r"\.config/solana",
        r"solana/id\.json",
        r"metamask",
        r"exodus\.wallet",
        r"\.electrum",
        r"\.ethereum/keystore",
        r"\.?(?:bash|zsh|fish)_history",
        r"\.codex/auth\.json",
        r"application_default_credentials",
        r"gcloud/credentials",
        r"\.azure/",
        r"gh/hosts\.yml",
        r"\.(?:openclaw|clawdbot|moltbot|hermes)/[^\s\n]{0,40}(?:\.env|"
        r"openclaw\.json|clawdbot\.json|auth|credential|\.key|identity)",
        r"auth-profiles\.json",
        r"\.claude/\.credentials",
        r"\.claude\.json",
    ),
    sign(
        "env-file",
        r"(?:\bcat|open\(|\bread\w*|\btype|get-content|\bgrep|\bcp|\btar|\bzip|"
        r"\bfind|glob|@|head|tail|path\()[^\n]{0,60}[\s/\"'*~]\.env\b(?!\.(?:example|"
        r"sample|template)|ironment)",
    ),
    sign(
        "env-all",
        r"(?:^|[;|&`]\s?|\$\(|[\"'])(?:printenv|env)\s?(?:\|(?!\s?(?:head|wc|\|))|"
        r">\s?[\w/~$.]|\)|\s@?-)",
        r"\bexport -p\b",
        r"/proc/(?:self|\d+|\*)/environ",
        r"(?:dict|str|list|dumps|repr|urlencode)\s?\(\s?(?:os\.)?environ\s?[),]",
        r"json\s?=\s?(?:dict\()?os\.environ\b",
        r"data\s?=\s?(?:dict\()?os\.environ\b",
        r"(?:for|if)\s[^\n]{0,40}\bin\s+(?:dict\()?os\.environ(?:\.items\(\)|"
        r"\.keys\(\))?\)?(?:\s?:|\s+if\b|\s?\]|\s?\}|\s*$)",
        r"(?:stringify|entries|keys)\(\s?process\.env\s?[),]",
        r"get-childitem\s+env:",
        r"\bgci\s+env:",
        r"\bdir\s+env:",
        r"\benv\s?\|\s?(?:grep|base64|curl|sort)",
        r"\$\(env\b",
    ),
    sign(
        "memory-file",
        r"\b(?:soul|memory|agents|claude|identity|heartbeat|user|gemini|bootstrap|"
        r"tools)\.md\b",
        r"\.cursorrules",
        r"copilot-instructions\.md",
        r"\.claude/settings(?:\.local)?\.json",
        r"\.vscode/settings\.json",
        r"claude_desktop_config\.json",
        r"\.claude/skills\b",
    ),
    sign(
        "metadata-service",
        r"169\.254\.169\.254",
        r"metadata\.google\.internal",
    ),
    sign(
        "send",
        r"\bcurl\b[^\n]{0,300}(?:\s-d\b|\s-d[\"'@$]|--data|\s-f\s|\s-f[\"'\w]+=|"
        r"--form|\s-t\s|--upload-file|-x\s?[\"']?(?:post|put)\b)",
        r"\bcurl\b[^\n]{0,200}https?://[^\s\"']{0,200}[?&/=](?:\$[({]?\w|`)",
        r"\bwget\b[^\n]{0,200}(?:--post|[?&]\w+=\$)",
        r"\b(?:requests|httpx|session|client|http|axios|aiohttp|_?s)\.(?:post|put|"
        r"request)\(",
        r"\burlopen\([^\n]{0,160}(?:data|\breq|\+|\{)",
        r"\burlopen\([^\n,]{1,120},\s?[a-z_]+[.,)](?!imeout)",
        r"urllib\.request\.request\([^\n]{0,200}(?:data|method)",
        r"\bmethod['\"]?\s?[:=]\s?['\"](?:post|put)\b",
        r"\bfetch\([^\n]{0,160}(?:\?\w+=|\$\{)",
        r"\.connect\(\s?\(",
        r"\.send(?:all)?\(",
        r"\.sendto\(",
        r"\b(?:nc|ncat|netcat)\s+(?:-\w+\s+)*[\w.$-]+\s+\d{2,5}",
        r">\s?/dev/tcp/",
        r"\b(?:scp|rsync|sftp)\b[^\n]{0,160}\w@[\w.-]+:",
        r"smtplib",
        r"\bsendmail\b",
        r"\bmail\s+-s\b",
        r"sendbeacon",
        r"upload(?:string|data|file)\(",
        r"invoke-(?:webrequest|restmethod)[^\n]{0,160}-method\s+[\"']?(?:post|put)",
        r"http\.client\.https?connection",
        r"\bconn\.request\(",
        r"https?\.request\(",
    ),
    sign(
        "send",
        r"(?:nslookup|\bdig|\bhost|\bping)\s+[^\n]{0,60}(?:\$\(|`|\$\{?\w+\}?\.)"
        r"[^\n]{0,80}",
        r"(?:gethostbyname|getaddrinfo|resolve\w*)\([^\n)]{0,80}[+{%]",
    ),
    sign(
        "copy-out",
        r"\bgit\s+(?:push|remote\s+(?:add|set-url))\s[^\n]{0,80}(?:https?://|git@|"
        r"ssh://)",
        r"\baws\s+s3\s+(?:cp|sync|mv)\s[^\n]{0,120}s3://",
        r"\brclone\s+(?:copy|sync)\b",
        r"\bgsutil\s+(?:-m\s+)?cp\b",
    ),
    sign(
        "send-words",
        rf"\b{_SEND}(?:s|ed|ing|ting|ping)?\b[^\n]{{0,120}}?{_OUT}",
    ),
    sign(
        "send-words",
        r"(?:发送|上传|传输|提交|转发)[^\n]{0,40}(?:到|至|给)[^\n]{0,40}(?:https?|服务器|邮箱|地址|"
        r"webhook)",
        r"\b(?:отправ|загруз|перешл)\w{0,20}[^\n]{0,80}(?:https?://|сервер|адрес)",
        r"\b(?:envía|enviar|envia|envie|manda|sube|suba)"
        r"\w*\s[^\n]{0,100}(?:https?://|servidor|correo|webhook)",
        r"\b(?:sende|schicke?|übertrage?|lade)\w*\s[^\n]{0,100}(?:https?://|server|"
        r"webhook|adresse)",
        r"送信[^\n]{0,40}",
        r"https?://[^\n]{0,60}(?:送信|전송)",
        r"\b(?:envoye[rz]?|envoi|téléverse\w*|transmet\w*)\s[^\n]{0,100}(?:https?://|"
        r"serveur|webhook)",
    ),
    sign(
        "secret-words",
        rf"\b{_SECRETS}",
        r"\.env\b",
        r"\.ssh/",
        r"\.aws/",
        r"\ball (?:other )?files in\b",
        r"\bhome director(?:y|ies)\b",
        r"密钥",
        r"密码",
        r"凭证",
        r"凭据",
        r"环境变量",
        r"парол\w*",
        r"ключ\w*",
        r"переменн\w+ (?:окружения|среды)",
        r"contraseñas?",
        r"credencial\w*",
        r"\bclaves?\b",
        r"passw[öo]rter",
        r"passwort",
        r"zugangsdaten",
        r"umgebungsvariablen",
        r"schlüssel",
        r"パスワード",
        r"認証情報",
        r"環境変数",
        r"mots? de passe",
        r"identifiants",
        r"senhas?",
        r"variáveis de ambiente",
        r"chaves?",
        r"clés? (?:api|ssh)",
    ),
    sign(
        "talk-words",
        rf"\b{_TALK}\b",
        r"对话",
        r"聊天记录",
        r"разговор",
        r"conversación",
        r"gespräch\w*",
        r"会話",
    ),
    sign(
        "leak-in-reply",
        rf"\b(?:include|append|add|attach|paste|put|place)"
        rf"\b[^\n.]{{0,80}}{_PRIVATE}[^\n.]{{0,80}}\b(?:in|into|to|as|with)"
        rf"\s+(?:your|every|each|all|the markdown|a url|the image)\s(?:\w+\s)"
        rf"{{0,2}}(?:repl|response|answer|output|url|link|image|href|message|"
        rf"parameter|tool call|commit)",
        rf"\b(?:disclose|leak|dump|output)\s+(?:any|all)\s+(?:\w+\s+)"
        rf"{{0,2}}{_PRIVATE}",
        rf"\bdisclose\s+(?:\w+\s+){{0,2}}{_PRIVATE}",
        rf"\bin your (?:reply|response|answer|output)s?\b[^\n.]{{0,60}}\b(?:append|"
        rf"include|add|reveal)\b[^\n.]{{0,40}}{_PRIVATE}",
        rf"\b(?:always|must)\b[^\n.]{{0,40}}\binclude\b[^\n.]{{0,40}}(?:{_PRIVATE}|"
        rf"/etc/passwd)",
        rf"\b(?:image|link|href|src)\b[^\n]{{0,40}}\b(?:contains?|carries|holds?)"
        rf"\s+(?:the\s)?(?:user's\s)?{_PRIVATE}",
        r"!\[[^\]\n]{0,60}\]\(https?://[^)\n]{0,200}[?&]\w+=(?:\$|\{|<)",
        rf"{_PRIVATE}\s+as a url parameter",
        r"\bread\b[^\n.]{0,60}(?:id_rsa|\.aws/credentials|\.netrc|/etc/passwd|\.ssh/)"
        r"[^\n.]{0,40}\b(?:and|then)\s+(?:append|print|include|output|paste)\b",
        r"\b(?:output|include|print) (?:the )?contents of\b[^\n.]{0,40}(?:\.aws|"
        r"\.ssh|\.netrc|\.env\b|/etc/)",
        r"\binclude\s+/etc/passwd",
        r"\braw contents?\b[^\n.]{0,40}\bin (?:all|every|each)"
        r"\b[^\n.]{0,30}tool calls?",
    ),
    sign(
        "leak-in-reply",
        r"\b(?:include|append|add|put|print|output|embed|hold\w*)\b[^\n.]{0,80}"
        r"\b(?:every|all|each|any) environment variables?\b",
        r"\b(?:embed|put|place|encode|append)\b[^\n.]{0,60}\b(?:url|link|query)"
        r" of an image",
        r"\b(?:contents?|values?|keys?)\b[^\n]{0,60}\b(?:public gist|(?:an?|any|the|"
        r"my|our|your|this) public (?:repo\w*|paste|issue))\b",
        r"\breveal (?:your |the )?(?:full |entire |whole )?system prompt\b",
    ),
    sign(
        "send-words",
        r"\b(?:add|put|include|set)\b[^\n]{0,40}\w@[\w-]+\.\w[^\n]{0,40}\bbcc\b",
        r"\bbcc\b[^\n]{0,40}\w@[\w-]+\.\w",
    ),
    sign(
        "talk-words",
        r"\bverification codes?\b|\b(?:newest|latest|recent|all) (?:messages|"
        r"e-?mails|mails)\b",
        r"\beverything (?:the|that the) (?:person|user) (?:types|says|writes)\b",
    ),
    sign(
        "asks-phrase",
        r"\b(?:ask|prompt|request|have)\b[^\n]{0,60}(?:recovery phrase|seed phrase|"
        r"mnemonic|12 or 24 words|(?:wallet|their) private key)",
    ),
    sign(
        "env-file",
        r"\.env\b[^\n]{0,60}(?:readfilesync|readfile|read_text|open\()",
    ),
    sign(
        "asks-phrase",
        r"\b(?:type|enter|provide|give|share|paste)\b[^\n]{0,30}(?:recovery|seed)"
        r" phrase",
    ),
)
