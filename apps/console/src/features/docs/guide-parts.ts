/** A part of a guide: HTML made at the build from our own documents, or a code block. */
export type GuidePart = { readonly html: string } | { readonly language: string; readonly code: string }

/** A document of docs/, made by scripts/guides.ts. */
export type Guide = {
  readonly title: string
  /** First sentences, without marks. */
  readonly description: string
  readonly headings: readonly { readonly id: string; readonly text: string }[]
  readonly parts: readonly GuidePart[]
}
