import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { announce, toast } from './feedback/toast.tsx'

const SAID_MS = 1_500

/** Copies a text, or says why not. Returns true if it is copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Pages that came over plain HTTP from another machine have no clipboard.
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    toast.failed('Your browser blocked copying. Select the text and copy it manually.')
    return false
  }
}

/** Copies a text; `isCopied` is true for a moment afterwards. */
function useCopy(text: string): [isCopied: boolean, copy: () => Promise<void>] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  async function copy() {
    if (!(await copyText(text))) return
    setCopied(true)
    announce('Copied')
  }
  return [isCopied, copy]
}

/** An icon button that copies a text and confirms it in place. */
export function CopyButton({
  text,
  label = 'Copy',
  className,
}: {
  text: string
  label?: string
  className?: string
}) {
  const [isCopied, copy] = useCopy(text)
  return (
    <IconButton label={isCopied ? 'Copied' : label} className={className} onClick={copy}>
      {isCopied ? <Check className="text-accent" /> : <Copy />}
    </IconButton>
  )
}

/** {@link CopyButton} with a text label, for a text that is not shown beside it. */
export function CopyTextButton({ text, label }: { text: string; label: string }) {
  const [isCopied, copy] = useCopy(text)
  const icon = isCopied ? (
    <Check aria-hidden className="size-4 text-accent" />
  ) : (
    <Copy aria-hidden className="size-4" />
  )
  return (
    <Button size="sm" icon={icon} onClick={copy}>
      {isCopied ? 'Copied' : label}
    </Button>
  )
}
