import { useState } from 'react'
import { useSession } from '../../../session/session.ts'
import { useDraft } from '../../../ui/forms/draft.ts'
import { readJson } from './json-field.tsx'
import { emptyManifest, type Manifest } from './manifest.ts'

/** The draft of a new service, stored in this tab for this wallet until it is registered. */
export type ManifestDraft = {
  readonly manifest: Manifest
  /** As JSON; while it is edited as JSON, as typed. */
  readonly text: string
  /** Why the text is invalid, if it is. `manifest` is then the last valid one. */
  readonly fault: string | undefined
  /** Changes when the draft was replaced other than by the form, to remount its fields. */
  readonly turn: number
  readonly isEmpty: boolean
  readonly write: (manifest: Manifest) => void
  readonly writeText: (text: string) => void
  /** Replaces the whole manifest. */
  readonly take: (manifest: Manifest) => void
  readonly drop: () => void
}

type StoredDraft = { readonly manifest: Manifest; readonly text?: string }

export function useManifestDraft(): ManifestDraft {
  const address = useSession()?.address ?? ''
  const [stored, store, forget] = useDraft(`service.${address.toLowerCase()}`)
  const [turn, setTurn] = useState(0)
  const { manifest, text } = read(stored)
  const write = (next: StoredDraft) => store(JSON.stringify(next))
  return {
    manifest,
    text: text ?? JSON.stringify(manifest, null, 2),
    fault: text === undefined ? undefined : readManifest(text).fault,
    turn,
    isEmpty: stored === '',
    write: next => write({ manifest: next }),
    writeText(next) {
      write({ manifest: readManifest(next).manifest ?? manifest, text: next })
      setTurn(turn + 1)
    },
    take(next) {
      write({ manifest: next })
      setTurn(turn + 1)
    },
    drop() {
      forget()
      setTurn(turn + 1)
    },
  }
}

function read(stored: string): StoredDraft {
  const { value } = readJson(stored)
  const isStored = typeof value === 'object' && value !== null && 'manifest' in value
  return isStored ? (value as StoredDraft) : { manifest: emptyManifest }
}

/** Parses a manifest from JSON. Checks only that it is an object. */
function readManifest(text: string): { manifest?: Manifest; fault?: string } {
  const { value, fault } = readJson(text)
  if (fault !== undefined) return { fault }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fault: 'A manifest must be a JSON object: { … }.' }
  return { manifest: value as Manifest }
}
