import type { Bug } from './bugs.js'

/** Bugs of gateways over WebSockets. */
export const gatewayBugs: readonly Bug[] = (
  [
    {
      name: 'a gateway does not pass the age of a price on',
      edits: [{ in: 'TopicFeed.frameOf', code: "age > 0 ? $1 : ''", bug: "''" }],
    },
    {
      name: 'a gateway sends the last price to a new consumer while its client holds a newer one',
      edits: [{ in: 'TopicFeed.currentFrame', code: '$1.isUpToDate()', bug: 'true' }],
    },
    {
      name: 'a gateway sends the held price of a topic that its consumer has left',
      edits: [{ in: 'Connection.onText', code: 'this.held.delete($1)', bug: 'undefined' }],
    },
    {
      name: 'a gateway never unsubscribes from a topic that it has kept during an outage',
      edits: [{ in: 'Sessions.releaseAll', code: 'this.releaseUnwanted($1)', bug: 'undefined' }],
    },
    {
      name: 'a gateway forgets one of several consumers of a topic',
      edits: [{ in: 'Sessions.leave', code: 'this.releaseUnwanted($1)', bug: 'this.delete($1)' }],
    },
    {
      name: 'a gateway answers a ping before the prices that it holds',
      edits: [{ in: 'ConsumerOutput.onPing', bug: 'this.pong(payload)' }],
    },
    {
      name: 'a gateway answers a ping while its own prices may be too old',
      edits: [{ in: 'ConsumerOutput.sendHeld', code: 'this.config.feed.isUpToDate()', bug: 'true' }],
    },
    {
      name: 'held prices are never sent',
      edits: [
        { in: 'ConsumerOutput.check', code: 'this.sendHeld()', bug: 'undefined' },
        { in: 'ConsumerOutput.releaseHeld', code: 'this.sendHeld()', bug: 'undefined' },
        { in: 'ConsumerOutput.releaseHeld', code: 'this.mark()', bug: 'undefined' },
      ],
    },
    {
      name: 'a pong of a consumer is late after 3 s',
      edits: [{ in: 'lateMs', bug: '3_000' }],
    },
    {
      name: 'an outage ends the consumers of a gateway with the code 1000',
      edits: [{ in: 'closeCodes.service-down', bug: '1000' }],
    },
    {
      name: 'a gateway never terminates a connection that its consumer does not close',
      edits: [{ in: 'ConsumerOutput.end', code: 'this.webSocket.terminate()', bug: 'undefined' }],
    },
    {
      name: 'a gateway rejects a topic by a text of its own',
      edits: [
        {
          in: 'TopicFeed.onRejected',
          code: '$1.reject($2, $3)',
          bug: "$1.reject($2, 'rejected')",
        },
      ],
    },
    {
      name: 'further outages prolong the time for which a gateway keeps a topic',
      edits: [{ in: 'Sessions.onDown', code: '$1.isWanted', bug: 'true' }],
    },
    {
      name: 'a new consumer of a gateway gets no last price',
      edits: [{ in: 'Connection.confirm', code: 'this.send($1, $2, $3)', bug: 'undefined' }],
    },
    {
      name: 'a gateway answers a ping before its service has answered a later probe',
      edits: [{ in: 'ConsumerOutput.onPing', code: 'this.requestProbe()', bug: 'undefined' }],
    },
    {
      name: 'a gateway sends a price to a new consumer before its service has answered a probe',
      edits: [
        {
          in: 'ConsumerOutput.requestFirstProbe',
          code: 'this.config.feed.requestProbe(0)',
          bug: '() => false',
        },
      ],
    },
  ] as const
).map((bug) => ({ ...bug, folder: 'src/gateway', shares: { webSocket: 1 } }))
