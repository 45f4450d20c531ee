import { randomKey } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { useCallback, useEffect, useRef, useState } from 'react'
import { queryClient } from '../../api.ts'
import { isOpen, keepConversation, readConversation, type Turn } from './conversation.ts'
import { tokensOf } from './estimate.ts'
import type { Model } from './service-kinds.ts'
import { readSettled } from './settled.ts'
import { askModel, bodyOf, type Parameters, type Said, textsOf } from './stream-chat.ts'

/** A conversation with a model, paid per turn. */
export function useChat(model: Model, credential: string | null) {
  const { serviceId } = model
  const [turns, setTurns] = useState<readonly Turn[]>(() => readConversation(serviceId))
  const running = useRef<{ stop(): void } | null>(null)
  const change = useCallback(
    (id: string, part: Partial<Turn>) =>
      setTurns(before => before.map(turn => (turn.id === id ? { ...turn, ...part } : turn))),
    [],
  )
  // Store each change of state, but not each piece of text.
  const states = turns.map(({ id, state, bill }) => `${id} ${state} ${bill !== null}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => keepConversation(serviceId, turns), [serviceId, states])
  useOpenBills(turns, credential, change)
  // Leaving the page aborts the stream.
  useEffect(() => () => running.current?.stop(), [])

  const ask = async (question: string, parameters: Parameters) => {
    if (credential === null || running.current !== null) return
    const said = [...saidIn(turns), { role: 'user' as const, content: question }]
    const body = bodyOf(model, said, parameters)
    const turn: Turn = {
      id: randomKey(),
      question,
      answer: '',
      state: 'waiting',
      invocationId: null,
      holdUsdc: null,
      bill: null,
      error: null,
      inputTokens: tokensOf(JSON.stringify(body.messages)),
    }
    setTurns(before => [...before, turn])
    const call = startTurn({ model, body, credential, onChange: part => change(turn.id, part) })
    running.current = call
    await call.done
    running.current = null
    await queryClient.invalidateQueries({ queryKey: ['balance'] })
  }
  return {
    turns,
    isBusy: turns.some(isOpen),
    ask,
    stop: () => running.current?.stop(),
    clear: () => setTurns([]),
    /** Removes a failed turn, to ask it again. */
    drop: (id: string) => setTurns(before => before.filter(turn => turn.id !== id)),
  }
}

/** Returns the messages so far, without questions that were not answered. */
function saidIn(turns: readonly Turn[]): Said[] {
  return turns.flatMap(({ question, answer }) =>
    answer === ''
      ? []
      : [
          { role: 'user' as const, content: question },
          { role: 'assistant' as const, content: answer },
        ],
  )
}

/** Reads the bills of turns that a reload interrupted. */
function useOpenBills(
  turns: readonly Turn[],
  credential: string | null,
  change: (id: string, part: Partial<Turn>) => void,
): void {
  const asked = useRef(new Set<string>())
  useEffect(() => {
    for (const { id, state, bill, invocationId } of turns) {
      if (state !== 'stopped' || bill !== null || invocationId === null || credential === null) continue
      if (asked.current.has(id)) continue
      asked.current.add(id)
      readSettled(invocationId, credential).then(
        reported => change(id, { bill: reported }),
        () => undefined,
      )
    }
  }, [turns, credential, change])
}

/**
 * Runs a turn from question to bill. Stopping aborts the stream, but only once the id of the call is known: the model
 * is paid for its work, and the bill can only be read by that id.
 */
function startTurn(how: {
  model: Model
  body: ReturnType<typeof bodyOf>
  credential: string
  onChange: (part: Partial<Turn>) => void
}): { stop(): void; done: Promise<void> } {
  const { model, body, credential, onChange } = how
  const hangUp = new AbortController()
  let invocationId: string | null = null
  let isStopped = false
  const buffer = bufferText(answer => onChange({ answer }))

  const read = async (): Promise<unknown> => {
    try {
      const key = `playground-${randomKey()}`
      const stream = await askModel(model, body, { credential, key, signal: hangUp.signal })
      invocationId = stream.headers.get('farebox-invocation-id')
      onChange({ invocationId, holdUsdc: stream.headers.get('farebox-hold-usdc'), state: 'streaming' })
      if (isStopped) hangUp.abort()
      for await (const text of textsOf(stream)) buffer.add(text)
      return null
    } catch (error) {
      return isStopped && invocationId !== null ? null : error
    } finally {
      buffer.flush()
    }
  }

  const finish = async () => {
    const error = await read()
    const reported = invocationId ?? (error instanceof GatewayError ? error.detail.invocationId : null)
    const state = error !== null ? 'failed' : isStopped ? 'stopped' : 'done'
    if (typeof reported !== 'string') return onChange({ state, error })
    onChange({ invocationId: reported, state: 'settling', error })
    const bill = await readSettled(reported, credential).catch(() => null)
    onChange({ state, bill })
  }
  return {
    stop() {
      isStopped = true
      onChange({ state: 'settling' })
      if (invocationId !== null) hangUp.abort()
    },
    done: finish(),
  }
}

/** Text arrives faster than frames are rendered: shows it once per frame. */
function bufferText(show: (text: string) => void) {
  let text = ''
  let frame = 0
  const flush = () => {
    cancelAnimationFrame(frame)
    frame = 0
    if (text !== '') show(text)
  }
  return {
    flush,
    add(piece: string) {
      text += piece
      frame ||= requestAnimationFrame(flush)
    },
  }
}
