/** Headers of a received request: of Node (`request.headers`) or of the Fetch API. */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** Returns a header as one line, its repetitions joined (RFC 9110, 5.3); null when it is absent. */
export function headerOf(headers: ReceivedHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  const value = headers[name]
  if (value === undefined) return null
  return [value]
    .flat()
    .map(line => line.trim())
    .join(', ')
}
