import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { ServedEvent } from '../../../src/view/served.js'

type EventOf<Tag> = Extract<ServedEvent, { readonly _tag: Tag }>

/** What the server of a page sends to it, as it arrives. Disconnects after the test. `url`: of the page. */
export const servedEvents = (url: string) => {
  const events: ServedEvent[] = []
  const socket = new WebSocket(`${url.replace('http', 'ws')}events`)
  socket.on('error', () => undefined)
  socket.on('message', (data: Buffer) => events.push(JSON.parse(data.toString()) as ServedEvent))
  onTestFinished(() => socket.terminate())
  return {
    events,
    allOf: <Tag extends ServedEvent['_tag']>(tag: Tag): readonly EventOf<Tag>[] =>
      events.filter((event): event is EventOf<Tag> => event._tag === tag),
  }
}
