import { english } from 'viem/accounts'
import * as rules from './redaction-rules.ts'
import { findSecrets, type SeedWords } from './secret-rules.ts'

export type { Json } from './redaction-rules.ts'

/** English words of seed phrases (BIP-39). */
const SEED_WORDS: SeedWords = new Set(english)

/** Replaces secrets and email addresses in a text by `[redacted:kind]`. */
export const redactText = (text: string): rules.Redacted<string> => rules.redactText(text, SEED_WORDS)

/** Replaces secrets and email addresses in JSON, at every depth, including member names. */
export const redactJson = (value: unknown): rules.Redacted<rules.Json> => rules.redactJson(value, SEED_WORDS)

/** Returns true if a text contains what looks like a secret. Email addresses do not count. */
export const holdsSecret = (text: string): boolean =>
  findSecrets(text, SEED_WORDS).some(({ kind }) => kind !== 'email')
