/* Files do not get the descriptors of standard streams that a program was started without. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "sealane_hs.h"

int main(int argc, char **argv)
{
    if (argc != 3) {
        return 2;
    }
    for (int missing = 1; missing < 8; missing++) {
        for (int stream = 0; stream < 3; stream++) {
            if (missing >> stream & 1) {
                close(stream);
            } else if (fcntl(stream, F_GETFD) == -1) {
                /* Closed in an earlier turn. */
                int opened = open("/dev/null", O_RDWR);
                if (opened != stream && dup2(opened, stream) != stream) {
                    return 3;
                }
                if (opened != stream) {
                    close(opened);
                }
            }
        }
        unlink(argv[2]);
        int input = sealane_hs_open_input(argv[1]), output = sealane_hs_open_output(argv[2], 0600);
        if (input < 3 || output < 3 || fcntl(output, F_GETFD) != FD_CLOEXEC || close(input) != 0 || close(output) != 0) {
            return 1;
        }
    }
    return 0;
}
