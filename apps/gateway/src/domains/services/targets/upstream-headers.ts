import type { SecretBox } from '../../../ports.ts'
import type { ServiceRow } from '../store.ts'

/** Encrypts the headers that a provider wants sent to its targets; null without any. */
export function sealHeaders(
  secretBox: SecretBox,
  serviceId: string,
  headers: Readonly<Record<string, string>> | null | undefined,
): string | null {
  if (headers === null || headers === undefined || Object.keys(headers).length === 0) return null
  return secretBox.seal(JSON.stringify(headers), contextOf(serviceId))
}

/** Decrypts the result of {@link sealHeaders}. Only for sending. */
export function openHeaders(
  secretBox: SecretBox,
  row: Pick<ServiceRow, 'id' | 'upstreamHeaders'>,
): Readonly<Record<string, string>> {
  if (row.upstreamHeaders === null) return {}
  return JSON.parse(secretBox.open(row.upstreamHeaders, contextOf(row.id))) as Record<string, string>
}

const contextOf = (serviceId: string) => serviceId
