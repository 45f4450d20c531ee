import { createHash } from 'node:crypto'

/** Default number of sentences between opening and closing. */
const SENTENCES = 7
/** Maximum words that a prompt may request. */
const WORDS_MAX = 3_000
const SENTENCES_TO_A_PARAGRAPH = 4
const KEY_WORDS_MAX = 6
/** Maximum characters of a prompt that are searched for key words. */
const LOOKED_AT_MAX = 4_000
/** Maximum characters of a tool's result that are repeated. */
const RESULT_SHOWN_MAX = 200

const COMMON = new Set(
  `about after again also answer because been before being between both call could does down each every from give
   have here into just like make more hello most much need only other over please should some such tell than that their
   them then there these they this those through under using very want were what when where which while will with
   word words would write your`.split(/\s+/),
)
/** Topics for a prompt without key words. */
const TOPICS_ABSENT = ['the far bank', 'the tide', 'the fare']

const OPENINGS = [
  'Step aboard: you ask of {}, and the crossing is long enough to answer.',
  'The ferry leaves when the box has rung, and today it rings for {}.',
  'So it is {} you want to hear of. Many a passenger has paid for that.',
]
const MIDDLE = [
  'On the far bank they weigh {} as we weigh a coin, once and in full light.',
  'A fare is a promise made twice, by the one who pays and the one who rows, with {} between them.',
  'The river keeps no ledger, so the box must, and it gives {} a line of its own.',
  'I have carried {} through fog and flood, and never charged for the waiting.',
  'Ask the oars about {} and they answer in strokes, each one counted.',
  'When the rope goes slack the meter stops, and what was held for {} returns to your hand.',
  'Some say that {} will weigh more in midstream; the scale at the landing says otherwise.',
  'Nobody pays for {} before the boat moves, and nobody pays twice when it turns back.',
  'There is a lantern at the bow for those who come about {} after dark.',
  'The old ferryman taught me to speak of {} slowly, for words are cheap and tokens are not.',
  'Look at the water behind us: there goes {}, already paid and already forgotten.',
  'If the line is cut halfway, hold on to {} and wait; the tally will find you.',
]
const CLOSINGS = [
  'Mind the step: we are across, and the fare was fair.',
  'Here is the landing. Keep your receipt dry.',
  'That is the bell. The next crossing waits for your word.',
]

/** Returns the key words of a prompt, as written, in order. */
export function keyWordsOf(prompt: string): string[] {
  const words = prompt.slice(0, LOOKED_AT_MAX).match(/[\p{L}\p{N}][\p{L}\p{N}_-]{3,}/gu) ?? []
  const byForm = new Map(words.map(word => [word.toLowerCase(), word]))
  for (const common of COMMON) byForm.delete(common)
  return [...byForm.values()].slice(0, KEY_WORDS_MAX)
}

/** Returns the ferryman's answer to a prompt; deterministic. Respects "in 300 words". */
export function composeText(prompt: string): string {
  const words = keyWordsOf(prompt)
  const topics = words.length > 0 ? words : TOPICS_ABSENT
  const seed = createHash('sha256').update(prompt).digest().readUInt32BE()
  const sentence = (number: number): string => {
    const pattern = number === 0 ? at(OPENINGS, seed) : at(MIDDLE, seed + number * 5)
    const isParagraph = number > 0 && number % SENTENCES_TO_A_PARAGRAPH === 0
    return `${isParagraph ? '\n\n' : number > 0 ? ' ' : ''}${pattern.replace('{}', () => at(topics, number))}`
  }
  const asked = /\b(\d{1,4}) words?\b/i.exec(prompt)?.[1]
  if (asked !== undefined) return inWords(sentence, Math.min(WORDS_MAX, Math.max(1, Number(asked))))
  const sentences = Array.from({ length: SENTENCES + 1 }, (_, number) => sentence(number))
  return `${sentences.join('')} ${at(CLOSINGS, seed)}`
}

/** Returns the ferryman's answer to a tool's result. */
export function composeAfterTool(prompt: string, result: string): string {
  const shown = result.length > RESULT_SHOWN_MAX ? `${result.slice(0, RESULT_SHOWN_MAX)}...` : result
  return `The meter reads: ${shown}\n\n${composeText(prompt)}`
}

/** Returns sentences with exactly so many words. */
function inWords(sentence: (number: number) => string, count: number): string {
  let text = ''
  for (let number = 0, words = 0; words < count; number += 1) {
    for (const word of sentence(number).match(/\s*\S+/g) ?? []) {
      if (words === count) break
      text += word
      words += 1
    }
  }
  return `${text.replace(/[.,;:]$/, '')}.`
}

const at = (from: readonly string[], number: number): string => from[number % from.length] ?? ''
