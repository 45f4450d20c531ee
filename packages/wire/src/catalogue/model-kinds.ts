/** API formats of LLM providers. */
export const LLM_DIALECTS = ['openai', 'anthropic'] as const
export type LlmDialect = (typeof LLM_DIALECTS)[number]

/** Possible input modalities of a model. */
export const INPUT_MODALITIES = ['text', 'image', 'audio', 'video', 'file'] as const
export type InputModality = (typeof INPUT_MODALITIES)[number]

/** Paths of OpenAI's APIs below one base, by shape. */
export const MODEL_PATHS = {
  chat: '/chat/completions',
  responses: '/responses',
  completions: '/completions',
  embeddings: '/embeddings',
} as const
/** A URL in three parts: before one of {@link MODEL_PATHS}, that path, and the rest. */
export const MODEL_URL_PARTS =
  /^([^?#]*?)(\/chat\/completions|\/responses|\/completions|\/embeddings)\/?((?:[?#].*)?)$/

/** Returns the one of {@link MODEL_PATHS} that a URL ends in; undefined for others. */
export const modelPathIn = (url: string): string | undefined => MODEL_URL_PARTS.exec(url)?.[2]

/** Kinds of models by their answer: text, or vectors (by OpenAI's embeddings API only). */
export const MODEL_KINDS = ['chat', 'embeddings'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

/** Returns the kind of a model: of embeddings if one of its targets is of that API. */
export const modelKindOf = (dialect: LlmDialect, targets: readonly { readonly url: string }[]): ModelKind =>
  dialect === 'openai' && targets.some(({ url }) => modelPathIn(url) === MODEL_PATHS.embeddings)
    ? 'embeddings'
    : 'chat'
