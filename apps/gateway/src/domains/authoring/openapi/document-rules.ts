import type { Unsupported } from '../curl-rules.ts'
import type { DraftWarning } from '../draft-findings-rules.ts'

/** A JSON object. */
export type Members = Readonly<Record<string, unknown>>

/** Notes collected while an operation is drafted. */
export type OperationFindings = { readonly warnings: DraftWarning[]; readonly unsupported: Unsupported[] }

/** Why a document, or an operation of it, cannot be used. */
export class OpenApiError extends Error {
  override readonly name = 'OpenApiError'
  /** Member of the request that is at fault. */
  readonly path: string

  constructor(message: string, path = 'document') {
    super(message)
    this.path = path
  }
}

/** Returns a text of a document without control characters, cut to a length; empty if it is no text. */
export function textOf(value: unknown, lengthMax: number): string {
  if (typeof value !== 'string') return ''
  const clean = value
    .toWellFormed()
    .replaceAll(/[^\P{C}\n\t]/gu, '')
    .trim()
  return clean.slice(0, lengthMax).toWellFormed().trim()
}
