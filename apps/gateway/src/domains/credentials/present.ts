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

/** Formats a credential for a response, without its token. */
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

/** Formats a credential for a list, with its usage. */
export function presentListed(credential: Credential): ListedCredential {
  return { ...present(credential), ...presentUsage(credential) }
}

function presentUsage({ callsUsed, spent, held }: Credential) {
  return { callsUsed: Number(callsUsed), spentUsdc: formatUsdc(spent), heldUsdc: formatUsdc(held) }
}

/** Formats a credential with its token, for issue and rotate. */
export function presentIssued({ token, credential }: { token: string; credential: Credential }) {
  const { id, credential_id, ...rest } = present(credential)
  return {
    status: 'success',
    token,
    credentialId: id,
    credential: { id, credential_id, token, ...rest },
  } as const
}

/** Formats the response to a change. */
export function presentChanged(credential: Credential): ChangedCredential {
  return { status: 'success', credentialId: credential.id, credential: present(credential) }
}

/** Formats the status of a credential. */
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

/** Formats an entry of the audit trail. */
export function presentLog({ id, action, credentialId, actor, at, detail }: AuditRow): CredentialAuditLog {
  return { id, action, credentialId, actor: getAddress(actor), at: at.toISOString(), detail }
}
