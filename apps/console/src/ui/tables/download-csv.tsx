import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../button.tsx'
import { describeError } from '../feedback/states.tsx'
import { toast } from '../feedback/toast.tsx'
import { saveFile } from '../save-file.ts'
import { formatCount } from '../values/format-measures.ts'
import { type ReadCsvPage, readCsv } from './csv-pages.ts'

/** A button that downloads a list as CSV and can cancel the download. */
export function DownloadCsv(props: {
  /** Name of the file: `farebox-calls-2026-11-21.csv`. */
  name: string
  /** Plural of the counted thing. */
  noun: string
  isEmpty: boolean
  readPage: ReadCsvPage
  size?: 'sm' | 'md'
}) {
  const { name, noun, isEmpty, readPage, size = 'md' } = props
  const [count, setCount] = useState<number | null>(null)
  const ending = useRef<AbortController | null>(null)
  useEffect(() => () => ending.current?.abort(), [])

  async function download() {
    ending.current = new AbortController()
    const { signal } = ending.current
    setCount(0)
    try {
      const file = await readCsv(readPage, setCount, signal)
      saveFile(file, `farebox-${name}-${new Date().toISOString().slice(0, 10)}.csv`)
    } catch (error) {
      if (!signal.aborted) toast.failed(describeError(error))
    }
    setCount(null)
  }

  if (count !== null) {
    return (
      <Button size={size} onClick={() => ending.current?.abort()}>
        <span className="tabular">
          {formatCount(count)} {noun}… Cancel
        </span>
      </Button>
    )
  }
  return (
    <Button
      size={size}
      icon={<Download aria-hidden className={size === 'sm' ? 'size-3.5' : 'size-4'} />}
      disabled={isEmpty}
      onClick={download}
    >
      Download CSV
    </Button>
  )
}
