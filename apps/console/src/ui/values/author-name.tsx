import type { AnswerOf } from '@farebox/client'
import { Link } from '@tanstack/react-router'
import { Badge } from '../badge.tsx'
import { shorten } from './address.tsx'

export type Author = AnswerOf<'readTopic'>['topic']['author']

/** The name of an author, linked to the services of a provider. */
export function AuthorName({ author }: { author: Author }) {
  const { walletAddress, username } = author
  const name = username === walletAddress ? shorten(username) : username
  return (
    <>
      {walletAddress !== null && author.isProvider === true ? (
        <Link
          to="/market"
          search={{ provider: walletAddress }}
          title={`Services of ${walletAddress}`}
          className="relative underline underline-offset-2 hover:text-text"
        >
          {name}
        </Link>
      ) : (
        <span title={walletAddress ?? undefined}>{name}</span>
      )}
      {author.isStaff && (
        <>
          {' '}
          <Badge tone="good">Staff</Badge>
        </>
      )}
    </>
  )
}
