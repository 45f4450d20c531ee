import { english } from 'viem/accounts'
import * as rules from './redaction-rules.ts'
import { findSecrets, type SeedWords } from './secret-rules.ts'

export type { Json } from './redaction-rules.ts'

/** The words of seed phrases in English (BIP-39). */
const SEED_WORDS: SeedWords = new Set(english)

/** Cuts secrets and addresses of mail out of a text: each becomes `[redacted:kind]`. */
export const redactText = (text: string): rules.Redacted<string> => rules.redactText(text, SEED_WORDS)

/** Cuts secrets and addresses of mail out of JSON, at every depth, names of members included. */
export const redactJson = (value: unknown): rules.Redacted<rules.Json> => rules.redactJson(value, SEED_WORDS)

/** Whether a text holds what looks like a secret. Addresses of mail are none. */
export const holdsSecret = (text: string): boolean =>
  findSecrets(text, SEED_WORDS).some(({ kind }) => kind !== 'email')
