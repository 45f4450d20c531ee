/** A step of a request in a trace. A step that is not sampled is a span too, but is not exported. */
export interface Span {
  /** W3C header with which a callee continues the trace below this span. */
  readonly traceparent: string
  readonly traceId: string
  /** Starts a child span. `client`: a request to another server. */
  child(name: string, kind?: 'internal' | 'client'): Span
  /** Never a secret, a body, or a URL with its query. */
  set(attributes: Readonly<Record<string, string | number | boolean>>): void
  event(name: string, attributes?: Readonly<Record<string, string | number | boolean>>): void
  /** Marks it as failed; `type` is one of few words, such as a code. */
  fail(type: string): void
  end(): void
}

/** Starts traces. */
export interface Tracer {
  /**
   * Returns the span of an incoming request.
   *
   * @param traceparent header of the caller, whose trace is continued if it is valid
   */
  serve(name: string, traceparent: string | undefined): Span
}
