import type { HostToView } from '../src/shared/protocol';
import { MessageComposer } from './composer';
import { registerControls } from './controls';
import { Host } from './host';
import { TimeLeft, TimeSince } from './moments';
import { RoomApp } from './roomApp';
import { RowList } from './rowList';
import { SessionSettings } from './sessionSettings';
import { Store } from './store';
import { TreeView } from './treeView';

registerControls();
customElements.define('time-since', TimeSince);
customElements.define('time-left', TimeLeft);
customElements.define('message-composer', MessageComposer);
customElements.define('row-list', RowList);
customElements.define('tree-view', TreeView);
customElements.define('session-settings', SessionSettings);
customElements.define('room-app', RoomApp);

const host = new Host();
const store = new Store(host);
// Only the editor posts here; what it posts was made by our own host.
window.addEventListener('message', (event: MessageEvent<HostToView>) => store.receive(event.data));
const app = new RoomApp();
app.store = store;
document.body.append(app);
host.post({ type: 'ready', tab: store.tab, filter: store.filter });
