import { Fragment, memo, type ReactNode } from 'react'
import { CopyButton } from '../../ui/copy.tsx'

// What models write most: paragraphs, headings, lists, code, quotes, emphasis, links. Built of elements, never of HTML.

type Block =
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly start: number; readonly items: string[] }
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'paragraph'; readonly text: string }

const FENCE = /^ {0,3}(```+|~~~+)\s*([\w+#.-]*)/
const HEADING = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/
const ITEM = /^\s{0,5}(?:[-*+]|(\d{1,4})[.)])\s+(.*)$/
const QUOTE = /^ {0,3}> ?(.*)$/
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/
const INLINE =
  /(`+)(.+?)\1|\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?!\w)|(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/

/** A text with light Markdown. What is not understood stands as it was written. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="flex flex-col gap-3 leading-relaxed break-words">
      {blocksOf(text).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end
        <BlockView key={index} block={block} />
      ))}
    </div>
  )
})

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'code':
      return <Code {...block} />
    case 'heading':
      return <p className="mt-1 font-semibold">{inline(block.text)}</p>
    case 'quote':
      return (
        <blockquote className="border-l-2 border-line-strong pl-3 text-muted">
          {inline(block.text)}
        </blockquote>
      )
    case 'rule':
      return <hr />
    case 'list': {
      const items = block.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end
        <li key={index}>{inline(item)}</li>
      ))
      const look = 'flex flex-col gap-1 pl-5'
      return block.isOrdered ? (
        <ol start={block.start} className={`${look} list-decimal`}>
          {items}
        </ol>
      ) : (
        <ul className={`${look} list-disc`}>{items}</ul>
      )
    }
    case 'paragraph':
      return <p className="whitespace-pre-line">{inline(block.text)}</p>
  }
}

function Code({ language, text }: { language: string; text: string }) {
  return (
    <figure className="overflow-hidden rounded-lg border bg-subtle">
      <figcaption className="flex h-8 items-center justify-between border-b pr-1 pl-3 font-mono text-xs text-muted">
        {language === '' ? 'code' : language}
        <CopyButton text={text} label="Copy code" className="!size-6 [&>svg]:!size-3.5" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto p-3 font-mono text-sm">
        <code>{text}</code>
      </pre>
    </figure>
  )
}

/** The blocks of a text, which may still be growing: a fence that is open goes to the end. */
export function blocksOf(text: string): readonly Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const blocks: Block[] = []
  let paragraph: string[] = []
  const close = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', text: paragraph.join('\n') })
    paragraph = []
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const fence = FENCE.exec(line)
    if (fence !== null) {
      close()
      const [, mark = '```', language = ''] = fence
      const end = lines.findIndex((each, index) => index > at && each.trim().startsWith(mark))
      const last = end === -1 ? lines.length : end
      blocks.push({ kind: 'code', language, text: lines.slice(at + 1, last).join('\n') })
      at = last
      continue
    }
    const heading = HEADING.exec(line)?.[1]
    const item = ITEM.exec(line)
    const quote = QUOTE.exec(line)?.[1]
    if (line.trim() === '') close()
    else if (RULE.test(line)) {
      close()
      blocks.push({ kind: 'rule' })
    } else if (heading !== undefined) {
      close()
      blocks.push({ kind: 'heading', text: heading })
    } else if (item !== null) {
      close()
      addItem(blocks, item[2] ?? '', item[1])
    } else if (quote !== undefined) {
      close()
      blocks.push({ kind: 'quote', text: quote })
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

/** Code, emphasis and links within a line. */
function inline(text: string): ReactNode {
  const parts: ReactNode[] = []
  let rest = text
  for (let key = 0; rest !== ''; key++) {
    const found = INLINE.exec(rest)
    if (found === null) break
    const [whole, , code, strong, emphasis, other, label, address] = found
    parts.push(<Fragment key={`t${key}`}>{rest.slice(0, found.index)}</Fragment>)
    if (code !== undefined)
      parts.push(
        <code key={key} className="rounded bg-hover px-1 py-0.5 font-mono text-[0.9em]">
          {code}
        </code>,
      )
    else if (strong !== undefined)
      parts.push(
        <strong key={key} className="font-semibold">
          {inline(strong)}
        </strong>,
      )
    else if (address !== undefined)
      parts.push(
        <a
          key={key}
          href={address}
          target="_blank"
          rel="noreferrer nofollow"
          className="text-accent underline"
        >
          {label}
        </a>,
      )
    else parts.push(<em key={key}>{emphasis ?? other}</em>)
    rest = rest.slice(found.index + whole.length)
  }
  return [...parts, rest]
}
