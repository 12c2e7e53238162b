const { map, take } = require('rxjs')
const { rights } = require('svc-streams/operators')

module.exports = (client, count) => {
  if (typeof count !== 'number') throw new Error(`expected a number, got ${count}`)
  return client.price$('svc-0xab').pipe(
    rights(),
    map(({ price }) => price),
    take(count),
  )
}
