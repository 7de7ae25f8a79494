import { parentPort, workerData } from 'node:worker_threads';
import { SessionProblem } from '../problem';
import { troubleOf } from '../store-words';
import { type FromWorker, ToWorker, WorkerData } from './requests';
import { StoreService } from './store-service';

/** The worker's entry: one request in, its progress and one reply out, several at a time. */
const port = parentPort;
if (port === null) throw new Error('this is the entry of a worker');
const service = new StoreService(WorkerData.parse(workerData).file);
const send = (message: FromWorker) => port.postMessage(message);

port.on('message', async (message: unknown) => {
  const { id, request } = ToWorker.parse(message);
  try {
    const value = await service.answer(request, (progress) => send({ kind: 'progress', id, progress }));
    send({ kind: 'done', id, value });
  } catch (error) {
    const trouble = troubleOf(error);
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof SessionProblem) {
      const { code, remedy } = error;
      send({ kind: 'failed', id, code, message: text, ...(remedy === undefined ? {} : { remedy }) });
    } else if (trouble !== null) {
      send({ kind: 'failed', id, code: 'failed', ...trouble });
    } else {
      send({ kind: 'failed', id, code: null, message: text });
    }
  }
});
