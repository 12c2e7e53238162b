import { describe, expect, it } from 'vitest'
import { frame, opcode, ping, text } from './support/frames.js'
import { always, handshake, openTap, recordPayloads } from './support/open-tap.js'
import { hex, inOnePiece, playOverTap, script } from './support/scripts.js'

describe('a handler that terminates the socket', () => {
  const frames = [ping('p'), text('ab'), text('c'), text('de'), text('f')]
  const removals = {
    'all frames': always,
    'no frame': () => false,
    'frames of one byte': (payload: Buffer) => payload.length === 1,
    'frames of two bytes': (payload: Buffer) => payload.length === 2,
  }
  const events = ['open', `ping ${hex('p')}`, `text ${hex('ab')}`, `text ${hex('c')}`, `text ${hex('de')}`]
  const table = Object.entries(removals).flatMap(([name, removes]) =>
    events.map((event): [string, string, (payload: Buffer) => boolean] => [event, name, removes]),
  )

  it.each(table)('at "%s" gets no later frame from a tap that removes %s', async (event, _name, removes) => {
    for (const played of [inOnePiece(...frames), script([Buffer.concat(frames)]), script(frames)]) {
      let isTerminated = false
      let removedLate = 0
      const log = await playOverTap(played, {
        removes: (payload) => {
          const isRemoved = removes(payload)
          if (isTerminated && isRemoved) removedLate++
          return isRemoved
        },
        react: (socket, emitted) => {
          if (emitted !== event) return
          isTerminated = true
          socket.terminate()
        },
      })
      // The event log marks calls of onTextFrame at a wrong time, such as after the connection was destroyed.
      expect(log.events.filter((logged) => logged.startsWith('unexpected call'))).toEqual([])
      expect(removedLate).toBe(0)
      expect(log.events.at(-1)).toBe('close 1006 ')
    }
  })
})

describe('a handler that throws', () => {
  const throwError = (): never => {
    throw new Error('boom')
  }

  it('inside onTextFrame lets the error propagate, and no later bytes are treated as a frame', async () => {
    const { payloads, onTextFrame } = recordPayloads((content) => (content === 'bad' ? throwError() : true))
    const { receive, startReading } = openTap(onTextFrame)
    await startReading()
    receive(handshake)
    const outer = text(`..${text('inside').toString('latin1').padEnd(20, '.')}`)
    const innerStart = outer.length - 20
    // latin1: each character of the inner frame is one byte.
    const disguised = Buffer.concat([outer.subarray(0, innerStart), text('inside')])
    expect(() => receive(Buffer.concat([text('bad'), disguised.subarray(0, innerStart)]))).toThrow('boom')
    receive(disguised.subarray(innerStart))
    expect(payloads).not.toContain('inside')
  })

  it('inside a data handler lets the error propagate, and no later bytes are treated as a frame', async () => {
    const { payloads, onTextFrame } = recordPayloads((content) => content !== 'bad')
    const { tap, receive, startReading } = openTap(onTextFrame)
    await startReading()
    receive(handshake)
    tap.once('data', throwError)
    const outer = frame({ opcode: opcode.text, payload: Buffer.alloc(20) })
    const before = Buffer.concat([text('bad'), text('good'), outer.subarray(0, 4)])
    expect(() => receive(before)).toThrow('boom')
    receive(text('inside'))
    expect(payloads).not.toContain('inside')
  })
})
