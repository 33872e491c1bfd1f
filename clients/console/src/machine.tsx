/** Page of one machine. */
import { mountPage } from './components/mount-page';
import { MachinePage, type MachinePageProps } from './machines/machine-page';

void mountPage<MachinePageProps>((context) => <MachinePage {...context} />);
