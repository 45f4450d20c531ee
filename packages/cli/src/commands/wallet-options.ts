/** Flags and descriptions of the options of all commands that sign. */
export const KEY_FILE_OPTION = [
  '--key-file <file>',
  'file with the private key of the wallet; only you may read it (chmod 600)',
] as const
export const RPC_OPTION = [
  '--rpc <url>',
  'node of the chain; default: the one that the gateway names',
] as const

/** Default and maximum time to wait for the chain, in seconds. */
export const WAIT_SECONDS_DEFAULT = 600
export const WAIT_SECONDS_MAX = 86_400
