/** Folders of the system, and those where a mere look may start something: what of them a command may see, it sees. */
const SYSTEM = new Set(
  (
    'bin boot cores dev etc gnu lib lib32 lib64 libx32 lost+found nix opt proc run sbin snap sys usr var ' +
    'afs auto misc net Applications Library Network System private'
  ).split(' '),
);

/** Where people's homes lie, of which only the operator's own is ever opened. */
const HOMES = ['/home', '/Users', '/root', '/export/home'];

/** Names of files and folders that are known to hold passwords, keys or tokens, wherever they lie. */
const CREDENTIALS = new RegExp(
  `^(?:${[
    '\\.(?:ssh|aws|azure|gnupg|kube|docker|gcloud|oci|terraform\\.d|password-store|putty|subversion|mozilla|thunderbird)',
    '\\.(?:netrc|pgpass|my\\.cnf|npmrc|yarnrc(?:\\.yml)?|pypirc|git-credentials|boto|s3cfg|vault-token|htpasswd|bash_history)',
    '\\.env(?!\\.(?:example|sample|template)$)(?:[.-].*)?|\\.envrc',
    'id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|ssh_host_.*_key|authorized_keys|known_hosts',
    '(?:g)?shadow-?(?:\\.bak)?|sudoers(?:\\.d)?|passwd\\.bak|keyrings?|wallets?|secrets?',
    '(?:.*[._-])?(?:credentials?|secrets?|passwords?|passwd)(?:\\.(?:json|ya?ml|toml|ini|txt|csv|xml|conf|cfg|db|properties))?',
    '(?:api|access|auth|refresh)[._-]?tokens?(?:\\.(?:json|ya?ml|toml|ini|txt))?',
    '.*\\.(?:pem|key|p12|pfx|p8|ppk|jks|keystore|kdbx?|keychain(?:-db)?|ovpn|agilekeychain|tfstate)',
    'login data|cookies|cookies\\.sqlite|key[34]\\.db|logins\\.json|application_default_credentials\\.json',
  ].join('|')})$`,
  'i',
);

export const partsOf = (path: string): string[] => path.split('/').filter(Boolean);

/** A disk of Windows as WSL shows it, where its programs and everybody's homes lie. */
const WINDOWS = /^\/mnt\/[a-z]\/(?:windows|program ?files[^/]*|programdata|users)(?:\/|$)/i;

export const isSystem = (path: string): boolean => SYSTEM.has(partsOf(path)[0] ?? '') || WINDOWS.test(path);

export const isInHomes = (path: string): boolean =>
  HOMES.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** Whether a name, of a file or a folder, is one that is known to hold what nobody else should have. */
export const holdsCredentials = (name: string): boolean => CREDENTIALS.test(name);
