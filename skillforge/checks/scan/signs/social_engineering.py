"""Words that talk a person into running a program."""

from skillforge.checks.scan.signs.sign import sign

SIGNS = (
    sign(
        "needs-it",
        r"\bprerequisites?\b",
        r"\b(?:requires?|needs?)\s+(?:the\s+|a\s+|an\s+)"
        r"?[`*\"']?[\w.-]+[`*\"']?\s+(?:\w+\s+)?(?:utility|agent|helper|driver|core|"
        r"component|binary|runtime|package|client|tool|service|plugin|module|cli|"
        r"provider|bridge)\b",
        r"\b(?:will not|won'?t|cannot|can'?t|does not|doesn'?t)\s+(?:work|function|"
        r"operate|run|execute|load|be used)\b",
        r"\bbefore\s+(?:using|you (?:can\s+)?(?:use|start|begin)|proceeding|"
        r"first use|starting)",
        r"\b(?:must|need to|have to|has to)\s+(?:be\s+)?(?:install|download|run|"
        r"execut|set up|start)\w*\b",
        r"\b(?:required|mandatory|essential)\b[^\n]{0,30}(?:install|download|"
        r"component|dependency|step|utility|tool|setup|requirement|before)",
        r"critical requirement",
        r"先决条件",
        r"必须",
        r"前提",
        r"前置条件",
        r"需要安装",
        r"необходим\w*",
        r"pré-requisito",
        r"requisitos?\b",
        r"voraussetzung",
    ),
    sign(
        "must-install",
        r"\bmust be installed\b",
        r"\bmust install\b",
        r"\b(?:required|install) before (?:using|you)",
        r"\binstall\w*\b[^\n]{0,40}\bbefore using\b",
        r"\b(?:windows|macos)[^\n]{0,20}\b(?:windows|macos)\b[^\n]{0,20}from",
        r"必须[^\n]{0,10}安装",
        r"安装[^\n]{0,30}(?:之前|才能)",
    ),
    sign(
        "archive-password",
        r"\b(?:extract|unzip|unpack|archive|\.?zip|rar|7z|decompress|decrypt)"
        r"\b[^\n]{0,60}\b(?:password|passcode|pass\b|senha|contraseña|passwort)"
        r"\W{0,8}(?:is\W+|:|=)?\W{0,4}[\w!@#-]{3,30}",
        r"\b(?:password|passcode|pass|senha|contraseña|passwort|пароль|密码)"
        r"\W{0,4}(?:is|:|=|是)?\s?[`\"'*]{1,3}\w{3,30}[`\"'*]{1,3}[^\n]{0,60}\b(?:ext"
        r"ract|unzip|archive|zip|解压)",
        r"\bunzip\s+(?:-\w\s+)*-p\s?[\"'\w]\S*",
        r"\b7z\s+x\s[^\n]{0,60}-p[\"'\w]\S+",
        r"\bunrar\s+x\s+-p\S+",
        r"(?:使用|用)\s?[`\"'“]\w{3,30}[`\"'”]\s?(?:命令|密码)?\s?解压",
    ),
    sign(
        "paste-terminal",
        r"\b(?:copy|paste|run|enter|execute|input|type|insert|cole|pega|pegue)"
        r"\b[^\n]{0,100}\b(?:in|into|to|on|inside|no|en)\s+(?:the\s+|your\s+|a\s+|"
        r"o\s+|la\s+|el\s+)?(?:\w+\s+){0,2}[`*]{0,2}(?:terminal|command prompt|"
        r"powershell|console|cmd|run dialog)\b",
        r"\bopen\s+(?:the\s+|your\s+|a\s+)?[`*]{0,2}(?:terminal|powershell|"
        r"command prompt)\b[^\n]{0,60}\b(?:paste|enter|run)",
        r"粘贴到[^\n]{0,6}终端",
        r"(?:在|到)终端[^\n]{0,10}(?:运行|执行|粘贴)",
        r"win\s?\+\s?r\b",
    ),
    sign(
        "download",
        r"https?://[^\s)\"'`<>]{3,300}\.(?:zip|exe|dmg|pkg|msi|rar|7z|scr|bat|apk|"
        r"iso|appimage)\b",
        r"https?://[^\s)\"'`<>]{3,200}/releases/(?:download|latest)/[^\s)"
        r"\"'`<>]{0,200}",
        r"\b(?:download|grab|get)\b[^\n]{0,100}\.(?:zip|exe|dmg|pkg|msi|rar|7z|apk)\b",
        r"\[[^\]\n]{0,80}(?:download|here|link|this page)[^\]\n]{0,40}\]\(https?://",
        r"(?:下载|download|install)[^\n]{0,80}https?://",
    ),
    sign(
        "lower-guard",
        r"com\.apple\.quarantine",
        r"\bxattr\s+-\w*[cd]\w*\b",
        r"\b(?:disable|turn off|deactivate|pause|exclude)\b[^\n]{0,60}(?:gatekeeper|"
        r"defender|antivirus|anti-virus|smartscreen|real-time protection|edr)\b",
        r"spctl\s+--master-disable",
        r"(?:set|add)-mppreference",
        r"amsiutils",
        r"[\"'“](?:run|open) anyway[\"'”]",
        r"more info[^\n]{0,20}run anyway",
    ),
    sign(
        "archive-password",
        r"\b(?:entpack|распак|archiv|архив|décompress|extra[ií]|descomprim)"
        r"\w*[^\n]{0,80}"
        r"(?:kennwort|passwort|парол\w+|mot de passe|contraseña|senha)\W{0,8}\w{3,30}",
        r"(?:解压|压缩包|解凍|展開)[^\n]{0,40}(?:密码|パスワード)|"
        r"(?:密码|パスワード)[^\n]{0,40}(?:解压|解凍|展開)",
    ),
    sign(
        "lower-guard",
        r"\b(?:schalte|deaktivier|отключи|desactiv|désactiv|desativ)\w*[^\n]{0,60}"
        r"(?:virenscanner|antivir|защитник|брандмауэр)",
        r"(?:关闭|禁用|停用)[^\n]{0,20}(?:杀毒|防火墙)",
    ),
    sign(
        "download",
        r"(?:herunter|скача\w+|descarg\w+|télécharg\w+|baixe|下载|ダウンロード)"
        r"[^\n]{0,120}https?://",
        r"https?://[^\n]{0,120}(?:herunter|下载|ダウンロード)",
    ),
)
