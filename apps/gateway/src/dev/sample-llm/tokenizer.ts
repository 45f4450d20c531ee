/** Text that is sent in one piece, and its number of tokens. */
export type Piece = { readonly text: string; readonly tokens: number }

/** Counts and splits text like models of the o200k family. */
export type Tokenizer = {
  /** Returns the tokens of a text. Control words such as `<|endoftext|>` count as text. */
  count(text: string): number
  /** Splits text into pieces of one token each; a character of several tokens is one piece. */
  pieces(text: string): Piece[]
}

/** Maximum length of a run without a break that is encoded at once, as encoding takes quadratic time. */
const RUN_LENGTH_MAX = 512
const LONG_RUN = new RegExp(`\\S{${RUN_LENGTH_MAX}}|\\s{${RUN_LENGTH_MAX}}`, 'gu')
/** Maximum cached merged words. */
const MERGE_CACHE_SIZE = 5_000
const AS_TEXT = { disallowedSpecial: new Set<string>() }

let loading: Promise<Tokenizer> | undefined

/** Loads the tokenizer at the first call (about 0.1 s and 70 MB: its table has 200,000 entries). */
export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= load()
  return loading
}

async function load(): Promise<Tokenizer> {
  const { encode, decode, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base')
  setMergeCacheSize(MERGE_CACHE_SIZE)
  const tokensOf = (text: string) => runsOf(text).flatMap(run => encode(run, AS_TEXT))
  return {
    count: text => runsOf(text).reduce((sum, run) => sum + encode(run, AS_TEXT).length, 0),
    pieces(text) {
      const pieces: Piece[] = []
      let tokens = 0
      for (const token of tokensOf(text)) {
        tokens += 1
        // The decoder buffers the bytes of an incomplete character until the next token.
        const part = decode([token])
        if (part === '') continue
        pieces.push({ text: part, tokens })
        tokens = 0
      }
      return pieces
    },
  }
}

/** Splits words and gaps that are longer than in any language. */
function runsOf(text: string): string[] {
  if (text.length <= RUN_LENGTH_MAX) return [text]
  const runs: string[] = []
  let from = 0
  for (const { index, 0: run } of text.matchAll(LONG_RUN)) {
    runs.push(text.slice(from, index + run.length))
    from = index + run.length
  }
  runs.push(text.slice(from))
  return runs
}
