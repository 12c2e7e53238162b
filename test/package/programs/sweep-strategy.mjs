import { map, take } from 'rxjs'
import { rights } from 'svc-streams/operators'

export default (client, count) => {
  if (typeof count !== 'number') throw new Error(`expected a number, got ${count}`)
  return client.price$('svc-0xab').pipe(
    rights(),
    map(({ price }) => price),
    take(count),
  )
}
