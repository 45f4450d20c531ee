import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command, defaultFilter } from 'cmdk'
import {
  BookOpen,
  Clock,
  KeyRound,
  LogIn,
  LogOut,
  MessagesSquare,
  Moon,
  Play,
  Plus,
  Receipt,
  Search,
  ShoppingBag,
  Store,
  Sun,
} from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react'
import { api, queryClient } from '../../api.ts'
import { type Session, useSession } from '../../session/session.ts'
import { signOut } from '../../session/sign-in.ts'
import { requestSignIn } from '../../session/sign-in-request.ts'
import { chooseTheme, useTheme } from '../../ui/theme.ts'
import { areaPlaces } from '../places.tsx'
import { useRecentPages } from './recent-pages.ts'

/** Services are searched from so many characters on, and so many are shown. */
const SEARCHED_LENGTH_MIN = 2
const SERVICES_SHOWN = 6
const CREDENTIALS_READ = 100
const CALL_ID = /^inv_[0-9A-Za-z]+$/

const publicPlaces = [
  { to: '/market', label: 'Market', icon: <ShoppingBag /> },
  { to: '/playground', label: 'Playground', icon: <Play /> },
  { to: '/forum', label: 'Forum', icon: <MessagesSquare /> },
  { to: '/docs', label: 'Docs', icon: <BookOpen /> },
  { to: '/proof', label: 'Proof of reserves', icon: <Receipt /> },
] as const

/** A dialog that leads to pages, services, credentials, calls by their id, and actions. */
export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const session = useSession()
  const [text, setText] = useState('')
  const [chosen, choose] = useState('')
  const goTo = (to: string) => () => {
    onClose()
    void navigate({ to })
  }
  const searchDocs = () => {
    onClose()
    void navigate({ to: '/docs', search: { q: text.trim() } as never })
  }
  return (
    <Radix.Root open onOpenChange={isOpen => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-50 shade" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 animate-appear rounded-xl border bg-raised shadow-raised outline-none"
        >
          <Radix.Title className="sr-only">Go to</Radix.Title>
          <Command
            label="Go to"
            loop
            filter={rank}
            value={chosen}
            onValueChange={choose}
            className="flex max-h-[70vh] flex-col"
          >
            <Command.Input
              autoFocus
              value={text}
              onValueChange={setText}
              placeholder="Search pages, services, credentials, actions or call IDs"
              className="h-12 w-full shrink-0 border-b bg-transparent px-4 text-base outline-none placeholder:text-faint"
            />
            <Command.List className="min-h-0 flex-1 overflow-y-auto p-1.5">
              {session !== null && CALL_ID.test(text.trim()) && (
                <Command.Group heading="Calls" className={group}>
                  <Item icon={<Receipt />} value={text} onSelect={goTo(`/app/calls/${text.trim()}`)}>
                    Call <span className="font-mono text-sm">{text.trim()}</span>
                  </Item>
                </Command.Group>
              )}
              {text === '' && <Recent goTo={goTo} />}
              <Services text={text} goTo={goTo} onChoose={choose} />
              {session !== null && <Credentials session={session} isShown={text !== ''} onOpen={onClose} />}
              <Pages session={session} goTo={goTo} />
              <Actions session={session} goTo={goTo} onClose={onClose} />
              <Command.Group heading="Docs" className={group}>
                <Item icon={<Search />} value={SEARCH_DOCS} onSelect={searchDocs}>
                  <span className="min-w-0 truncate">
                    {text.trim() === '' ? 'Search the docs' : `Search the docs for “${text.trim()}”`}
                  </span>
                </Item>
              </Command.Group>
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The item that matches everything, after all that match better. */
const SEARCH_DOCS = 'search-docs'
const rank: typeof defaultFilter = (value, search, keywords) =>
  value === SEARCH_DOCS ? Number.MIN_VALUE : defaultFilter(value, search, keywords)

type GoTo = (to: string) => () => void

const group =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint'

function Item(props: {
  icon: ReactNode
  /** Text to match, if not that of the item. */
  value?: string
  keywords?: string[]
  onSelect: () => void
  children: ReactNode
}) {
  const { value, keywords } = props
  return (
    <Command.Item
      {...(value !== undefined && { value })}
      {...(keywords !== undefined && { keywords })}
      onSelect={props.onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 data-[selected=true]:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted"
    >
      {props.icon}
      {props.children}
    </Command.Item>
  )
}

function Recent({ goTo }: { goTo: GoTo }) {
  const pages = useRecentPages()
  if (pages.length === 0) return null
  return (
    <Command.Group heading="Recent" className={group}>
      {pages.map(({ to, title }) => (
        <Item key={to} icon={<Clock />} value={`${title} ${to}`} onSelect={goTo(to)}>
          {title}
        </Item>
      ))}
    </Command.Group>
  )
}

function Services(props: {
  text: string
  goTo: GoTo
  onChoose: (change: (chosen: string) => string) => void
}) {
  const { text, goTo, onChoose } = props
  const sought = useDeferredValue(text.trim())
  const { data } = useQuery({
    queryKey: ['market', 'palette', sought],
    queryFn: ({ signal }) =>
      api.discoverServices({ query: { search_query: sought, limit: SERVICES_SHOWN }, signal }),
    enabled: sought.length >= SEARCHED_LENGTH_MIN,
  })
  const first = data?.[0]?.serviceId
  // They arrive when the search of the docs is already chosen, as the only match until then.
  useEffect(() => {
    if (first !== undefined) onChoose(chosen => (chosen === SEARCH_DOCS ? first : chosen))
  }, [first, onChoose])
  if (data === undefined || data.length === 0) return null
  return (
    <Command.Group heading="Services" className={group}>
      {data.map(({ serviceId: id, serviceName, agentToolName }) => (
        // The gateway has matched it, also by words that are not shown.
        <Item key={id} icon={<Store />} value={id} keywords={[sought]} onSelect={goTo(`/services/${id}`)}>
          {serviceName}
          <span className="truncate font-mono text-xs text-faint">{agentToolName}</span>
        </Item>
      ))}
    </Command.Group>
  )
}

function Credentials({
  session,
  isShown,
  onOpen,
}: {
  session: Session
  isShown: boolean
  onOpen: () => void
}) {
  const navigate = useNavigate()
  const { data } = useQuery({
    queryKey: ['credentials', 'palette', session.address],
    queryFn: ({ signal }) => api.listCredentials({ query: { limit: CREDENTIALS_READ }, signal }),
    enabled: isShown,
  })
  if (!isShown || data === undefined) return null
  const open = (id: string) => {
    onOpen()
    void navigate({ to: '/app/credentials', search: { open: id } })
  }
  return (
    <Command.Group heading="Credentials" className={group}>
      {data.credentials.map(({ id, name }) => (
        <Item key={id} icon={<KeyRound />} value={`${name} ${id}`} onSelect={() => open(id)}>
          {name}
        </Item>
      ))}
    </Command.Group>
  )
}

function Pages({ session, goTo }: { session: Session | null; goTo: GoTo }) {
  const roles = queryClient.getQueryData<{ roles: readonly string[] }>(['profile'])?.roles ?? []
  const areas = session === null ? [] : Object.entries(areaPlaces)
  const shown = areas.filter(([area]) => area !== 'Admin' || roles.includes('admin'))
  return (
    <Command.Group heading="Pages" className={group}>
      {publicPlaces.map(({ to, label, icon }) => (
        <Item key={to} icon={icon} value={label} onSelect={goTo(to)}>
          {label}
        </Item>
      ))}
      {shown.flatMap(([area, places]) =>
        places.map(({ to, label, icon }) => (
          <Item key={to} icon={icon} value={`${label} ${area}`} onSelect={goTo(to)}>
            {label}
            <span className="text-xs text-faint">{area}</span>
          </Item>
        )),
      )}
    </Command.Group>
  )
}

function Actions(props: { session: Session | null; goTo: GoTo; onClose: () => void }) {
  const { session, goTo, onClose } = props
  const isDark = useTheme() === 'dark'
  const then = (act: () => unknown) => () => {
    onClose()
    act()
  }
  return (
    <Command.Group heading="Actions" className={group}>
      {session !== null && (
        <>
          <Item icon={<Plus />} onSelect={goTo('/provider/new')}>
            Register a service
          </Item>
          <Item icon={<LogOut />} onSelect={then(signOut)}>
            Sign out
          </Item>
        </>
      )}
      {session === null && (
        <Item icon={<LogIn />} onSelect={then(() => requestSignIn())}>
          Sign in with your wallet
        </Item>
      )}
      <Item icon={isDark ? <Sun /> : <Moon />} onSelect={then(() => chooseTheme(isDark ? 'light' : 'dark'))}>
        {isDark ? 'Light theme' : 'Dark theme'}
      </Item>
      <Item icon={<BookOpen />} onSelect={goTo('/docs/reference')}>
        API reference
      </Item>
    </Command.Group>
  )
}
