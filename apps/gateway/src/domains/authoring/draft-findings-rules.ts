import type { Unsupported } from './curl-rules.ts'

/** Something that the provider should review. `path` in the manifest. */
export type DraftWarning = { readonly path: string; readonly message: string }

/** State of a draft in progress, and the test for secrets. */
export type Findings = {
  readonly warnings: DraftWarning[]
  readonly unsupported: Unsupported[]
  readonly looksSecret: (text: string) => boolean
}
