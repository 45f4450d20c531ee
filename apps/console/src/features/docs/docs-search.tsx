import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Failed } from '../../ui/feedback/failed.tsx'
import { Input } from '../../ui/forms/field.tsx'
import type { PageMatches } from './search-docs.ts'

const LENGTH_MAX = 100

/** Loads the search and the text of all guides. */
async function loadSearch() {
  const { readSections, searchSections, excerptOf, markWords } = await import('./search-docs.ts')
  return { searchSections, excerptOf, markWords, sections: await readSections() }
}

/** The state of the field, its matches, and the way to them. */
function useDocsSearch(first: string) {
  const [typed, setTyped] = useState(first)
  const [isOpen, setOpen] = useState(first !== '')
  const [isUsed, setUsed] = useState(first !== '')
  const [at, setAt] = useState(0)
  const navigate = useNavigate()
  const read = useQuery({
    queryKey: ['docs', 'search'],
    queryFn: loadSearch,
    enabled: isUsed,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const pages = read.data?.searchSections(read.data.sections, typed) ?? []
  const options = pages.flatMap(({ sections }) => sections)
  function type(text: string) {
    setTyped(text)
    setAt(0)
    setUsed(true)
    setOpen(text.trim() !== '')
  }
  function go(index: number) {
    const section = options[index]
    if (section === undefined) return
    setOpen(false)
    void navigate({
      to: '/docs/$guide',
      params: { guide: section.page },
      ...(section.anchor !== '' && { hash: section.anchor }),
    })
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && isOpen && options.length > 0)
      setAt((at + step + options.length) % options.length)
    else if (event.key === 'Enter' && isOpen) go(at)
    else if (event.key === 'Escape' && isOpen) setOpen(false)
    else return
    event.preventDefault()
  }
  const close = () => setOpen(false)
  return { typed, type, isOpen, close, prepare: () => setUsed(true), at, read, pages, options, go, onKeyDown }
}

/**
 * A search over all guides and the operations of the API. What it searches is loaded when it is first used.
 *
 * @param props.first what was typed already, as in the command palette
 */
export function DocsSearch({ first = '' }: { first?: string }) {
  const { typed, type, isOpen, close, prepare, at, read, pages, options, go, onKeyDown } =
    useDocsSearch(first)
  const field = useRef<HTMLInputElement>(null)
  const list = useId()
  const hasOptions = isOpen && options.length > 0
  useEffect(() => {
    if (first !== '') field.current?.focus()
  }, [first])
  useEffect(() => {
    if (hasOptions) document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [hasOptions, list, at])
  return (
    <search
      className="relative w-full sm:w-72"
      onBlur={event => !event.currentTarget.contains(event.relatedTarget) && close()}
    >
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-faint" />
      <Input
        ref={field}
        type="search"
        role="combobox"
        aria-label="Search the docs"
        aria-autocomplete="list"
        aria-expanded={hasOptions}
        aria-controls={hasOptions ? list : undefined}
        aria-activedescendant={hasOptions ? `${list}-${at}` : undefined}
        placeholder="Search the docs"
        autoComplete="off"
        className="pl-9"
        maxLength={LENGTH_MAX}
        value={typed}
        onFocus={prepare}
        onChange={event => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <div className="absolute top-full right-0 z-20 mt-1.5 max-h-[min(32rem,65dvh)] w-full animate-appear overflow-y-auto rounded-lg border bg-raised p-1.5 shadow-raised sm:w-[34rem]">
          <p role="status" className={clsx(hasOptions ? 'sr-only' : 'px-2.5 py-6 text-center text-muted')}>
            {read.isPending ? 'Loading …' : `${countLabel(options.length)} for “${typed.trim()}”`}
          </p>
          <Failed error={read.error} />
          {hasOptions && read.data !== undefined && (
            <Results id={list} pages={pages} typed={typed} at={at} search={read.data} onGo={go} />
          )}
        </div>
      )}
    </search>
  )
}

const countLabel = (count: number) =>
  count === 0 ? 'No result' : count === 1 ? '1 result' : `${count} results`

/** The matches, grouped by page. */
function Results(props: {
  id: string
  pages: readonly PageMatches[]
  typed: string
  /** Index of the active option. */
  at: number
  search: Awaited<ReturnType<typeof loadSearch>>
  onGo: (index: number) => void
}) {
  const { id, pages, typed, at, search, onGo } = props
  const options = pages.flatMap(({ sections }) => sections)
  return (
    <div id={id} role="listbox" aria-label="Results">
      {pages.map(({ page, label, sections }) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options
        <div key={page} role="group" aria-label={label} className="pb-1.5 last:pb-0">
          <p aria-hidden className="px-2.5 py-1 text-xs font-medium text-muted">
            {label}
          </p>
          {sections.map(section => {
            const index = options.indexOf(section)
            return (
              // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the field
              <div
                key={section.anchor}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                className={clsx(
                  'cursor-pointer rounded-md px-2.5 py-1.5 hover:bg-hover',
                  index === at && 'bg-hover',
                )}
                // Keeps the focus in the field, whose blur closes the list.
                onMouseDown={event => event.preventDefault()}
                onClick={() => onGo(index)}
              >
                <span className="block font-medium break-words">
                  <Marked pieces={search.markWords(section.heading, typed)} />
                </span>
                <span className="line-clamp-2 text-sm break-words text-muted">
                  <Marked pieces={search.markWords(search.excerptOf(section.text, typed), typed)} />
                </span>
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}

/** A text in pieces, of which every second one is marked. */
function Marked({ pieces }: { pieces: readonly string[] }) {
  return pieces.map((piece, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces do not move
      <mark key={index} className="bg-transparent text-accent">
        {piece}
      </mark>
    ) : (
      piece
    ),
  )
}
