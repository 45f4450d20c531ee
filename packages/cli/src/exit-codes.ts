/** Exit codes of the program. README.md documents them; scripts depend on them. */
export const EXIT = {
  done: 0,
  /** The gateway, the provider or the chain refused. The same command is refused again. */
  refused: 1,
  /** The command line, an input or a file is not usable. Nothing was sent. */
  usage: 2,
  /** Not signed in, or the credential is not valid. */
  signIn: 3,
  /** The balance, the earnings or the budget do not suffice. */
  money: 4,
  /** The wallet, chain or vault is not the one that was signed in to. Nothing was signed. */
  mismatch: 5,
  /** Not finished. The command that the message names goes on without paying twice. */
  later: 75,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
} as const

/** An exit code of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const SIGN_IN: ReadonlySet<string> = new Set([
  'UNAUTHORIZED',
  'VERIFICATION_FAILED',
  'CHALLENGE_EXPIRED',
  'CREDENTIAL_INVALID',
  'CREDENTIAL_INACTIVE',
])
const MONEY: ReadonlySet<string> = new Set([
  'INSUFFICIENT_BALANCE',
  'BUDGET_EXHAUSTED',
  'INSUFFICIENT_PROVIDER_RECEIVABLE',
])
const LATER: ReadonlySet<string> = new Set([
  'DEPOSIT_NOT_CONFIRMED',
  'WITHDRAWAL_TX_NOT_CONFIRMED',
  // The answer was not from the gateway, or was damaged on the way.
  'UNREADABLE',
])

/** Returns the exit code for an error of the gateway or of the client. */
export function exitCodeOf(error: { readonly code: string; readonly isPassing: boolean }): ExitCode {
  if (SIGN_IN.has(error.code)) return EXIT.signIn
  if (MONEY.has(error.code)) return EXIT.money
  return error.isPassing || LATER.has(error.code) ? EXIT.later : EXIT.refused
}
