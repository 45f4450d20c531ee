import type { SecretBox } from '../../ports.ts'

type Code = { readonly codeId: string; readonly code: string }

/** By what a code is known again: keyed, and another one for the same digits of another id. */
export function codeDigest(box: SecretBox, { codeId, code }: Code): Buffer {
  return box.digest(`${codeId} ${code}`, 'email-code')
}

/** A code as it waits for its mail. */
export function sealCode(box: SecretBox, { codeId, code }: Code): string {
  return box.seal(code, contextOf(codeId))
}

/** Opens what {@link sealCode} made for this id. */
export function openCode(box: SecretBox, { codeId, sealed }: { codeId: string; sealed: string }): string {
  return box.open(sealed, contextOf(codeId))
}

const contextOf = (codeId: string) => `email-code ${codeId}`
