/** Page of all machines. */
import { mountPage } from './components/mount-page';
import { MachineList } from './machines/machine-list';

void mountPage(({ api }) => <MachineList api={api} />);
