import { formatUsdc } from '@farebox/money'
import type {
  ChangedCredential,
  CredentialAuditLog,
  CredentialState,
  ListedCredential,
  ShownCredential,
} from '@farebox/wire/credentials'
import { getAddress } from 'viem'
import { areCallsExhausted, type Credential, formatOrNull, presentSettings, unixSeconds } from './rules.ts'
import type { AuditRow } from './store.ts'

/** A credential as the wire has it, without its token. */
export function present(credential: Credential): ShownCredential {
  const { id, status, createdAt } = credential
  return {
    id,
    credential_id: id,
    ...presentSettings(credential),
    status,
    createdAt: createdAt.toISOString(),
  }
}

/** A credential in a list: with what is used of its limits. */
export function presentListed(credential: Credential): ListedCredential {
  return { ...present(credential), ...presentUsage(credential) }
}

function presentUsage({ callsUsed, spent, held }: Credential) {
  return { callsUsed: Number(callsUsed), spentUsdc: formatUsdc(spent), heldUsdc: formatUsdc(held) }
}

/** A credential with its token, which is shown at issue and rotate only. */
export function presentIssued({ token, credential }: { token: string; credential: Credential }) {
  const { id, credential_id, ...rest } = present(credential)
  return {
    status: 'success',
    token,
    credentialId: id,
    credential: { id, credential_id, token, ...rest },
  } as const
}

/** The answer to a change. */
export function presentChanged(credential: Credential): ChangedCredential {
  return { status: 'success', credentialId: credential.id, credential: present(credential) }
}

/** Where a credential stands. */
export function presentStatus(credential: Credential): CredentialState {
  const { id, status, expiresAt, maxCalls, creditLimit } = credential
  const callsExhausted = areCallsExhausted(credential)
  return {
    status: 'success',
    credentialId: id,
    valid: status === 'active' && !callsExhausted,
    credentialStatus: status,
    isExpired: status === 'expired',
    callsExhausted,
    expiresAt: unixSeconds(expiresAt),
    maxCalls: maxCalls === null ? null : Number(maxCalls),
    creditLimit: formatOrNull(creditLimit),
    ...presentUsage(credential),
  }
}

/** A line of the audit trail. */
export function presentLog({ id, action, credentialId, actor, at, detail }: AuditRow): CredentialAuditLog {
  return { id, action, credentialId, actor: getAddress(actor), at: at.toISOString(), detail }
}
