import { memo } from 'react'
import { CopyButton } from '../../ui/copy.tsx'
import { type Block, blocksOf, type Part, partsOf } from './markdown-blocks.ts'

/** Renders light Markdown as elements, never as HTML, because a model's output is not trusted. */
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
      return (
        <p className="mt-1 font-semibold">
          <Line text={block.text} />
        </p>
      )
    case 'quote':
      return (
        <blockquote className="border-l-2 border-line-strong pl-3 text-muted">
          <Line text={block.text} />
        </blockquote>
      )
    case 'rule':
      return <hr />
    case 'list':
      return <List {...block} />
    case 'paragraph':
      return (
        <p className="whitespace-pre-line">
          <Line text={block.text} />
        </p>
      )
  }
}

function List({ isOrdered, start, items }: Extract<Block, { kind: 'list' }>) {
  const shown = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end
    <li key={index}>
      <Line text={item} />
    </li>
  ))
  const look = 'flex flex-col gap-1 pl-5'
  return isOrdered ? (
    <ol start={start} className={`${look} list-decimal`}>
      {shown}
    </ol>
  ) : (
    <ul className={`${look} list-disc`}>{shown}</ul>
  )
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

function Line({ text }: { text: string }) {
  return partsOf(text).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end
    <PartView key={index} part={part} />
  ))
}

function PartView({ part }: { part: Part }) {
  switch (part.kind) {
    case 'code':
      return <code className="rounded bg-hover px-1 py-0.5 font-mono text-[0.9em]">{part.text}</code>
    case 'strong':
      return (
        <strong className="font-semibold">
          <Line text={part.text} />
        </strong>
      )
    case 'emphasis':
      return <em>{part.text}</em>
    case 'link':
      return (
        <a href={part.address} target="_blank" rel="noreferrer nofollow" className="text-accent underline">
          {part.text}
        </a>
      )
    case 'text':
      return part.text
  }
}
