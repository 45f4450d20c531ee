import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'
import { toast } from './toast.tsx'

const SAID_MS = 1_500

/** Copies a text; says so where it stands. */
export function CopyButton({
  text,
  label = 'Copy',
  className,
}: {
  text: string
  label?: string
  className?: string
}) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => toast.failed('The browser does not let this page copy. Select the text instead.'),
    )
  return (
    <IconButton label={isCopied ? 'Copied' : label} className={className} onClick={copy}>
      {isCopied ? <Check className="text-accent" /> : <Copy />}
    </IconButton>
  )
}
