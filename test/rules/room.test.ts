import { roomRules } from './room';
import { register } from './support';

describe('rules L: the room', () => register(roomRules));
