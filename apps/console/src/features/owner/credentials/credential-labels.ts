import type { AnswerOf } from '@farebox/client'
import type { Tone } from '../../../ui/badge.tsx'

/** A credential with the use of its limits. */
export type Credential = AnswerOf<'listCredentials'>['credentials'][number]

/** Returns the label of a credential's state. */
export function stateOf(credential: Credential): { readonly label: string; readonly tone: Tone } {
  const { status, callsUsed, maxCalls } = credential
  if (status === 'revoked') return { label: 'Revoked', tone: 'neutral' }
  if (status === 'expired') return { label: 'Expired', tone: 'warn' }
  if (maxCalls !== null && callsUsed >= maxCalls) return { label: 'Used up', tone: 'warn' }
  return { label: 'Active', tone: 'good' }
}

/** Converts Unix seconds to the format of the wire's other times. */
export const isoOf = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString()
