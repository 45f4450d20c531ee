import type { SecretBox } from '../../ports.ts'

type Code = { readonly codeId: string; readonly code: string }

/** Returns the keyed digest of a code. The same digits have another digest for another id. */
export function codeDigest(box: SecretBox, { codeId, code }: Code): Buffer {
  return box.digest(`${codeId} ${code}`, 'email-code')
}

/** Encrypts a code until it is mailed. */
export function sealCode(box: SecretBox, { codeId, code }: Code): string {
  return box.seal(code, contextOf(codeId))
}

/** Decrypts a result of {@link sealCode} for this id. */
export function openCode(box: SecretBox, { codeId, sealed }: { codeId: string; sealed: string }): string {
  return box.open(sealed, contextOf(codeId))
}

const contextOf = (codeId: string) => `email-code ${codeId}`
