import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, buttonClass } from '../../ui/button.tsx'
import { COMPARED_MAX } from './market-search.ts'

/** A checkbox that chooses a model for the comparison: ticked at once, while the address with the choice follows later. */
export function CompareBox(props: {
  name: string
  isChosen: boolean
  isFull: boolean
  onChange: () => void
}) {
  const { name, isChosen, isFull, onChange } = props
  const [shown, show] = useState({ isChosen, isTicked: isChosen })
  if (shown.isChosen !== isChosen) show({ isChosen, isTicked: isChosen })
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click of the row opens it
    <label
      className="flex shrink-0 items-center gap-1 text-sm text-muted"
      onClick={event => event.stopPropagation()}
    >
      <input
        type="checkbox"
        aria-label={`Compare ${name}`}
        title={isFull && !isChosen ? `At most ${COMPARED_MAX} models` : 'Compare'}
        checked={shown.isTicked}
        disabled={isFull && !isChosen}
        onChange={() => {
          show({ isChosen, isTicked: !shown.isTicked })
          onChange()
        }}
        className="size-4 shrink-0 accent-accent"
      />
      Compare
    </label>
  )
}

/** The chosen models, at the bottom of the window; nothing without any. */
export function CompareBar({ names, onClear }: { names: readonly string[]; onClear: () => void }) {
  if (names.length === 0) return null
  return (
    <section
      aria-label="Comparison"
      className="sticky bottom-4 z-20 mx-auto mt-4 flex w-fit max-w-full flex-wrap items-center gap-3 rounded-lg border bg-raised px-4 py-2.5 shadow-raised"
    >
      <p className="min-w-0 text-sm text-muted">{names.join(', ')}</p>
      <span className="ml-auto flex gap-2">
        <Button size="sm" onClick={onClear}>
          Clear
        </Button>
        <Link
          to="/models/compare"
          search={{ ids: names }}
          className={buttonClass({ variant: 'primary', size: 'sm' })}
        >
          Compare {names.length}
        </Link>
      </span>
    </section>
  )
}
