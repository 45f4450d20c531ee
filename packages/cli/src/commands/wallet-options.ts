import { readCount } from './read-options.ts'

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
const WAIT_SECONDS_DEFAULT = 600
const WAIT_SECONDS_MAX = 86_400

export const WAIT_OPTION = [
  '--wait <seconds>',
  'how long to wait for the chain',
  readCount(0, WAIT_SECONDS_MAX),
  WAIT_SECONDS_DEFAULT,
] as const
