// The part of Markdown that models use most: paragraphs, headings, lists, code, quotes, emphasis, links. Everything
// else stays plain text.

/** A block of a text. */
export type Block =
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly start: number; readonly items: string[] }
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'paragraph'; readonly text: string }

/** A part of a line. `address` is always an http or https URL. */
export type Part =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly address: string }

const FENCE = /^ {0,3}(```+|~~~+)\s*([\w+#.-]*)/
const HEADING = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/
const ITEM = /^\s{0,5}(?:[-*+]|(\d{1,4})[.)])\s+(.*)$/
const QUOTE = /^ {0,3}> ?(.*)$/
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/
const INLINE =
  /(`+)(.+?)\1|\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?!\w)|(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/

/** Parses a text into blocks. The text may still grow: an unclosed fence extends to its end. */
export function blocksOf(text: string): readonly Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const blocks: Block[] = []
  let paragraph: string[] = []
  const close = (next?: Block) => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', text: paragraph.join('\n') })
    paragraph = []
    if (next !== undefined) blocks.push(next)
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const fence = FENCE.exec(line)
    if (fence !== null) {
      const [, mark = '```', language = ''] = fence
      const end = lines.findIndex((each, index) => index > at && each.trim().startsWith(mark))
      const last = end === -1 ? lines.length : end
      close({ kind: 'code', language, text: lines.slice(at + 1, last).join('\n') })
      at = last
      continue
    }
    const heading = HEADING.exec(line)?.[1]
    const item = ITEM.exec(line)
    const quote = QUOTE.exec(line)?.[1]
    if (line.trim() === '') close()
    else if (RULE.test(line)) close({ kind: 'rule' })
    else if (heading !== undefined) close({ kind: 'heading', text: heading })
    else if (quote !== undefined) close({ kind: 'quote', text: quote })
    else if (item !== null) {
      close()
      addItem(blocks, item[2] ?? '', item[1])
    } else paragraph.push(line)
  }
  close()
  return blocks
}

function addItem(blocks: Block[], text: string, number: string | undefined): void {
  const isOrdered = number !== undefined
  const last = blocks.at(-1)
  if (last?.kind === 'list' && last.isOrdered === isOrdered) last.items.push(text)
  else blocks.push({ kind: 'list', isOrdered, start: Number(number ?? 1), items: [text] })
}

/** Parses a line into code, emphasis, links and plain text. */
export function partsOf(line: string): readonly Part[] {
  const parts: Part[] = []
  let rest = line
  for (let found = INLINE.exec(rest); found !== null; found = INLINE.exec(rest)) {
    const [whole, , code, strong, starred, underlined, label, address] = found
    if (found.index > 0) parts.push({ kind: 'text', text: rest.slice(0, found.index) })
    if (code !== undefined) parts.push({ kind: 'code', text: code })
    else if (strong !== undefined) parts.push({ kind: 'strong', text: strong })
    else if (address !== undefined) parts.push({ kind: 'link', text: label ?? address, address })
    else parts.push({ kind: 'emphasis', text: starred ?? underlined ?? whole })
    rest = rest.slice(found.index + whole.length)
  }
  if (rest !== '') parts.push({ kind: 'text', text: rest })
  return parts
}
